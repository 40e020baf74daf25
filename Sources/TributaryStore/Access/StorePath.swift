import Glibc

/// The path of a store. It must name a file of this device, and SQLite and this library must understand the
/// same file by it.
package enum StorePath {
  /// Checks a path.
  ///
  /// - Throws: `StoreError` with the code `path` for a path that SQLite does not take for a file name, or
  ///   takes for the name of another file.
  package static func check(_ path: String) throws(StoreError) {
    if path.isEmpty {
      throw StoreError(
        .path, "the path of the store is empty", path: path,
        remedy: "name a file: SQLite deletes a database with an empty path when it is closed")
    }
    if path.utf8.contains(0) {
      throw StoreError(
        .path, "the path of the store contains a NUL character", path: path,
        remedy: "name a file: the system reads a path up to its first NUL only")
    }
    if path == ":memory:" {
      throw StoreError(
        .path, "a store cannot be in memory: what is published must last", path: path,
        remedy: "name a file; a file of this very name is ./:memory:")
    }
    // Debian's SQLite reads these as URIs, which contain the name of the file and parameters.
    if path.utf8.starts(with: "file:".utf8) {
      throw StoreError(
        .path, "the path of the store is a URI", path: path,
        remedy: "name the file by its path; a file of this very name is ./\(path)")
    }
    if path.utf8.last == UInt8(ascii: "/") {
      throw StoreError(
        .path, "the path of the store names a directory", path: path,
        remedy: "name a file in it")
    }
  }

  /// Checks that a path names a file, which may be a database.
  ///
  /// - Throws: `StoreError` with the code `notAttached` if there is nothing, `path` for a directory, and
  ///   `inaccessible` for a file that this user may not read. SQLite reports anything else that prevents
  ///   opening it.
  package static func checkPresent(_ path: String) throws(StoreError) {
    var status = stat()
    guard stat(path, &status) == 0 else {
      guard errno == ENOENT || errno == ENOTDIR else { return }
      throw StoreError(
        .notAttached, "there is no such database", path: path,
        remedy: "check the path, or run `tributary attach` to make it or have it rebuilt")
    }
    if status.st_mode & S_IFMT == S_IFDIR {
      throw StoreError(
        .path, "the path of the store names a directory", path: path,
        remedy: "name a database in it")
    }
    if access(path, R_OK) != 0, errno == EACCES {
      throw StoreError(
        .inaccessible, "this user may not read the database", path: path,
        remedy: "make the file readable and writable for the user who runs this")
    }
  }

  /// Returns the absolute path, so that a process that changes its directory goes on using the same file.
  package static func absolute(_ path: String) -> String {
    guard path.utf8.first != UInt8(ascii: "/"), let directory = getcwd(nil, 0) else { return path }
    defer { free(directory) }
    let start = String(cString: directory)
    return start == "/" ? "/" + path : "\(start)/\(path)"
  }
}
