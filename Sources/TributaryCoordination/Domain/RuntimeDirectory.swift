internal import Glibc
internal import TributaryFiles

/// The directory where the processes of a user meet, on this machine and until it stops.
enum RuntimeDirectory {
  /// `$XDG_RUNTIME_DIR/tributary`, `/run/user/<number>/tributary` or, if there is no such directory,
  /// `/dev/shm/tributary-<number>`, or else `/tmp/tributary-<number>`.
  ///
  /// Source: *XDG Base Directory Specification*
  static var user: String {
    if let value = getenv("XDG_RUNTIME_DIR") {
      let path = String(cString: value)
      if path.utf8.first == UInt8(ascii: "/") { return path.appending(component: "tributary") }
    }
    let path = "/run/user/\(geteuid())"
    var status = stat()
    // Programs that were started without the variable must meet those that were started with it.
    if stat(path, &status) == 0, status.st_uid == geteuid() {
      return path.appending(component: "tributary")
    }
    // In memory, an access takes a thirtieth of the time that it takes on a disk.
    let memory = "/dev/shm"
    let isShared =
      stat(memory, &status) == 0 && status.st_mode & (S_ISVTX | 0o777) == S_ISVTX | 0o777
    return "\(isShared ? memory : "/tmp")/tributary-\(geteuid())"
  }

  /// Makes a directory that only this user may use.
  ///
  /// - Throws: `CoordinationError` with the code `unsafeDirectory` if it belongs to another user.
  static func make(_ path: String) throws(CoordinationError) {
    var status = stat()
    do throws(FileError) {
      if mkdir(path, 0o700) != 0, errno != EEXIST {
        throw FileError(operation: "mkdir", path: path, code: errno)
      }
      try systemCall("lstat", on: path) { lstat(path, &status) }
    } catch {
      throw CoordinationError(error)
    }
    guard status.st_mode & S_IFMT == S_IFDIR, status.st_uid == geteuid(),
      status.st_mode & 0o022 == 0
    else { throw .unsafeDirectory(path) }
  }

  /// Returns a name for the current run of the machine. Anything left by an earlier run is meaningless.
  static func currentBoot() -> String {
    let text = (try? LocalFileSystem().read("/proc/sys/kernel/random/boot_id", limit: 100)) ?? []
    // Without it, runs cannot be distinguished in directories on a disk; runtime directories do not outlast a
    // run.
    let name = String(decoding: text.filter { $0 > UInt8(ascii: " ") }, as: UTF8.self)
    return name.isEmpty ? "boot" : name
  }
}
