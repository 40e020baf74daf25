import TributaryCore
import TributarySQLite

extension BaselineImage {
  /// Writes the rows of an image into another file that has the encoding of a database, since SQLite attaches
  /// no database with another encoding.
  ///
  /// The tables in that file have the names, columns and primary keys of those in the image, and nothing
  /// else.
  ///
  /// - Parameter path: a copy of the image for this store alone.
  /// - Returns: the path of the new file, beside the image; `nil` if both have the same text encoding.
  /// - Throws: SQLite's error for a damaged image.
  static func converted(_ path: String, for connection: Connection) throws -> String? {
    let image = try open(path, .readOnly)
    defer { image.close() }
    let encoding = try encoding(connection)
    if try self.encoding(image) == encoding { return nil }
    let target = path + "-encoded"
    let copy = try Connection(path: target, mode: .create)
    defer { copy.close() }
    try copy.execute(
      """
      PRAGMA encoding = '\(encoding)'; PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; BEGIN
      """)
    for (name, columns) in try contents(path) { try copyRows(of: name, columns, image, copy) }
    try copy.execute("COMMIT")
    return target
  }

  private static func copyRows(
    of table: String, _ columns: [String], _ image: Connection, _ copy: Connection
  ) throws {
    let keys = try image.prepare(
      "SELECT name FROM pragma_table_xinfo(?, 'main') WHERE pk > 0 ORDER BY pk")
    try keys.bind([.string(table)])
    var key: [String] = []
    while try keys.step() { key.append(keys.string(0).quotedIdentifier) }
    let hasNumbers =
      try image.integer(
        "SELECT 1 FROM pragma_table_list WHERE schema = 'main' AND name = ? AND NOT wr",
        .string(table)) != nil
    let names = Set(columns.map { SQLName($0) })
    let number = ["rowid", "_rowid_", "oid"].first { hasNumbers && !names.contains(SQLName($0)) }
    let name = "main.\(table.quotedIdentifier)"
    let definitions =
      columns.map(\.quotedIdentifier)
      + (key.isEmpty ? [] : ["PRIMARY KEY (\(key.joined(separator: ", ")))"])
    try copy.execute("CREATE TABLE \(name) (\(definitions.joined(separator: ", ")))")
    let list = ((number.map { [$0] } ?? []) + columns.map(\.quotedIdentifier))
      .joined(separator: ", ")
    let marks = Array(repeating: "?", count: columns.count + (number == nil ? 0 : 1))
      .joined(separator: ", ")
    let insertion = try copy.prepare("INSERT INTO \(name) (\(list)) VALUES (\(marks))")
    let rows = try image.prepare("SELECT \(list) FROM \(name)")
    while try rows.step() {
      try insertion.bind(rows.values)
      try insertion.run()
    }
  }
}
