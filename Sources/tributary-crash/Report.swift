import Glibc

/// Prints a line in one call, so that it is printed completely or not at all.
func report(_ line: String) {
  let bytes = Array("\(line)\n".utf8)
  precondition(write(STDOUT_FILENO, bytes, bytes.count) == bytes.count)
}
