import CSQLite
import TributaryCore

/// A connection that was just opened and is being prepared for use. It is valid only while the preparation
/// runs.
public struct ConnectionSetup: ~Copyable {
  private let connection: Connection
  /// Whether the connection was opened only to check whether the preparation is possible.
  private let isTrial: Bool

  init(_ connection: Connection, isTrial: Bool) {
    self.connection = connection
    self.isTrial = isTrial
  }

  /// Runs a pragma. Only pragmas that leave rows, logs and locks alone are allowed.
  ///
  /// - Parameter pragma: such as `PRAGMA cache_size = -20000`. Allowed are `analysis_limit`, `automatic_index`,
  ///   `cache_size`, `cache_spill`, `cell_size_check`, `hard_heap_limit`, `mmap_size`, `reverse_unordered_selects`,
  ///   `secure_delete`, `soft_heap_limit`, `temp_store`, `threads` and `trusted_schema`.
  /// - Throws: `SQLiteError` for anything else.
  public func execute(_ pragma: String) throws {
    guard let name = Self.name(of: pragma), Self.pragmas.contains(SQLName(name)) else {
      throw SQLiteError(
        code: SQLITE_MISUSE,
        message: "this statement cannot be part of the preparation of a connection", sql: pragma,
        path: connection.path,
        advice:
          "prepare connections by functions, collations, extensions, and one of the pragmas "
          + Self.pragmas.map(\.text).sorted().joined(separator: ", "))
    }
    try connection.execute(pragma)
  }

  /// Loads an SQLite extension, as `StoreOptions.extensions` does.
  ///
  /// - Parameter path: the path of its file. It runs in this process.
  public func loadExtension(_ path: String) throws { try connection.load([path]) }

  /// Checks that a name is free for an application.
  func check(_ name: String, _ kind: String, isBuiltIn: String) throws {
    guard isTrial || SQLName(name).hasPrefix("tributary_") else { return }
    let isTaken =
      try SQLName(name).hasPrefix("tributary_")
      || connection.integer(isBuiltIn, .string(name)) != nil
    guard isTaken else { return }
    throw SQLiteError(
      code: SQLITE_MISUSE, message: "the \(kind) \(name) exists, and the store itself may use it",
      path: connection.path, advice: "give it another name")
  }

  var handle: OpaquePointer { connection.handle }

  /// Checks that a function or collation was made.
  func check(_ code: Int32, _ name: String, _ kind: String) throws {
    switch code {
    case SQLITE_OK: break
    case SQLITE_MISUSE:
      // SQLite itself does not report this.
      let limit = sqlite3_limit(handle, SQLITE_LIMIT_FUNCTION_ARG, -1)
      throw SQLiteError(
        code: code, message: "the \(kind) \(name) cannot be made", path: connection.path,
        advice: "give it a name of 1 to 255 bytes, and a function 0 to \(limit) arguments")
    default: throw connection.error(code)
    }
  }

  private static let pragmas: Set<SQLName> = [
    "analysis_limit", "automatic_index", "cache_size", "cache_spill", "cell_size_check",
    "hard_heap_limit", "mmap_size", "reverse_unordered_selects", "secure_delete",
    "soft_heap_limit", "temp_store", "threads", "trusted_schema",
  ]

  /// Returns the name of a pragma; `nil` for anything but a single one.
  private static func name(of pragma: String) -> String? {
    var words = pragma.split(whereSeparator: \.isWhitespace)[...]
    guard let first = words.popFirst(), SQLName(String(first)) == "PRAGMA",
      let rest = words.first, !pragma.dropLast().contains(";")
    else { return nil }
    return String(rest.prefix { $0.isASCII && $0.isLetter || $0 == "_" })
  }
}
