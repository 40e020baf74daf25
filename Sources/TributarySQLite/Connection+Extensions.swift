import CSQLite
import Synchronization

extension Connection {
  /// The extensions by the path of the database.
  private static let registered = Mutex<[String: [String]]>([:])

  /// Makes all connections opened from now on to a database, and to files beside it whose names begin with
  /// its own and a dash, load SQLite extensions.
  ///
  /// - Parameter files: absolute paths; an empty array removes the setting.
  package static func setExtensions(_ files: [String], ofDatabase path: String) {
    registered.withLock { $0[path] = files.isEmpty ? nil : files }
  }

  /// Returns the extensions that connections to a database load; `nil` if none were set.
  package static func extensions(ofDatabase path: String) -> [String]? {
    registered.withLock { registered in
      if registered.isEmpty { return nil }
      if let files = registered[path] { return files }
      return registered.first { path.utf8.starts(with: ($0.key + "-").utf8) }?.value
    }
  }

  /// Loads SQLite extensions that are not loaded yet.
  ///
  /// Only this function can load them: SQL's `load_extension()` stays disabled.
  ///
  /// - Throws: an error that names the file that cannot be loaded.
  ///
  /// Source: https://www.sqlite.org/c3ref/load_extension.html
  package func load(_ files: [String]) throws(SQLiteError) {
    for file in files where !extensions.contains(file) {
      if try prepare(for: file) {
        extensions.append(file)
        continue
      }
      tributary_enable(handle, SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, 1)
      var text: UnsafeMutablePointer<CChar>?
      let code = sqlite3_load_extension(handle, file, nil, &text)
      tributary_enable(handle, SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, 0)
      defer { sqlite3_free(text) }
      guard code == SQLITE_OK else {
        let reason = text.map { String(cString: $0) } ?? "SQLite does not say why"
        throw SQLiteError(
          code: code, message: "the extension cannot be loaded: \(reason)", path: file,
          advice:
            "check that the file is an SQLite extension for this machine, and give the right one with "
            + "`tributary attach STORE … --load-extension FILE`")
      }
      extensions.append(file)
    }
  }

  /// Whether SQLite, this library or an extension provides a collation.
  package func knows(collation name: String) -> Bool {
    // A statement that names an unknown collation does not compile.
    (try? prepare("SELECT 1 ORDER BY 'x' COLLATE \(name.quotedIdentifier)")) != nil
  }

  /// Whether a module of virtual tables is registered.
  package func knows(module name: String) throws(SQLiteError) -> Bool {
    try integer(
      "SELECT 1 FROM pragma_module_list WHERE name = ? COLLATE NOCASE", .string(name)) != nil
  }
}
