extension FileSystem {
  /// Makes a directory after checking that its parent exists. File systems with a system call for
  /// both override this.
  package func makeDirectory(_ path: String) throws(FileError) {
    guard try status(path.parentDirectory) != nil else { throw .missing(path.parentDirectory) }
    try makeDirectories(path)
  }
}
