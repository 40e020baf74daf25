import Glibc

extension Connection {
  /// Gives the files beside a database the same permissions as the database. SQLite makes them with the
  /// database's permissions at that moment. If the database was read-only for a while, it could otherwise not
  /// be written afterwards.
  static func mendSideFiles(of path: String) {
    for file in [path + "-wal", path + "-shm"] {
      guard access(file, W_OK) != 0, errno == EACCES, access(path, W_OK) == 0 else { continue }
      var status = stat()
      // Another user's file stays as it is, and SQLite reports it.
      if stat(path, &status) == 0 { chmod(file, status.st_mode & 0o777) }
    }
  }

  /// Returns the name by which SQLite opens a database on a read-only file system without making the index of its
  /// write-ahead log; `nil` for any other database.
  ///
  /// Another machine, or the host of a container, may have mounted the file system for writing. While it has
  /// the database open, there is an index. Then SQLite reads the database through that index, or reports that
  /// it cannot.
  ///
  /// Source: https://www.sqlite.org/uri.html#uriimmutable
  static func unchangingName(of path: String) -> String? {
    guard !path.utf8.starts(with: "//".utf8), access(path, W_OK) != 0, errno == EROFS else {
      return nil
    }
    guard access(path + "-shm", F_OK) != 0 else { return nil }
    var log = stat()
    if stat(path + "-wal", &log) == 0, log.st_size > 0 { return nil }
    let plain = Set("/-_.~".utf8)
    return path.utf8.reduce(into: "file:") { name, byte in
      let isPlain =
        plain.contains(byte) || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
        || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
      if isPlain {
        name.unicodeScalars.append(Unicode.Scalar(byte))
      } else {
        name += byte < 16 ? "%0" : "%"
        name += String(byte, radix: 16)
      }
    } + "?immutable=1"
  }
}
