import Glibc

extension Connection {
  /// Gives the files beside a database the rights that the database has itself. SQLite makes them with its rights of that
  /// moment: if it could only be read for a while, nobody could write it afterwards.
  static func mendSideFiles(of path: String) {
    for file in [path + "-wal", path + "-shm"] {
      guard access(file, W_OK) != 0, errno == EACCES, access(path, W_OK) == 0 else { continue }
      var status = stat()
      // Another user's file stays as it is, and SQLite says so.
      if stat(path, &status) == 0 { chmod(file, status.st_mode & 0o777) }
    }
  }
}
