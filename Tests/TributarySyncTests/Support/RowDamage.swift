import Foundation
import Testing
import TributaryCore
import TributarySQLite
import TributaryTesting

/// One row of a store's bookkeeping, changed or taken away past the store.
struct RowDamage: CustomStringConvertible {
  var table: String
  var column: String?
  var old: Value?
  var new: Value?

  var description: String {
    guard let column, let old, let new else { return "a row of \(table) deleted" }
    return "\(table).\(column): \(Self.short(old)) became \(Self.short(new))"
  }

  private static func short(_ value: Value) -> String {
    var text = JSONWriter()
    text.value(value)
    return String(text.text.prefix(100))
  }

  /// Damages a row; `nil` when SQLite does not allow what chance has chosen.
  ///
  /// - Parameter flips: whether single bytes may be changed, too.
  static func random(
    in path: String, _ random: inout SeededGenerator, only tables: [String]? = nil
  ) throws -> RowDamage? {
    let connection = try Connection(path: path, mode: .readWrite)
    defer { connection.close() }
    try connection.execute("PRAGMA foreign_keys = OFF")
    let table = random.pick(try tables ?? names(connection))
    let count = Int(try connection.integer("SELECT count(*) FROM \(table)") ?? 0)
    guard count > 0 else { return nil }
    let statement = try connection.prepare(
      "SELECT * FROM \(table) LIMIT 1 OFFSET \(random.number(0...count - 1))")
    guard try statement.step() else { return nil }
    let names = statement.columnNames
    var row = statement.values
    statement.reset()
    try connection.execute("BEGIN")
    let condition = names.map { "\"\($0)\" IS ?" }.joined(separator: " AND ")
    let deletion = try connection.prepare("DELETE FROM \(table) WHERE \(condition)")
    try deletion.bind(row)
    try deletion.run()
    var damage = RowDamage(table: table)
    if !random.once(in: 6) {
      let column = random.number(0...names.count - 1)
      damage.column = names[column]
      damage.old = row[column]
      row[column] = value(like: row[column], &random)
      damage.new = row[column]
      if damage.old == damage.new { return nil }
      let marks = names.map { _ in "?" }.joined(separator: ", ")
      do {
        let insertion = try connection.prepare("INSERT INTO \(table) VALUES (\(marks))")
        try insertion.bind(row)
        try insertion.run()
      } catch {
        return nil
      }
    }
    try connection.execute("COMMIT; PRAGMA wal_checkpoint(TRUNCATE)")
    return damage
  }

  private static func names(_ connection: Connection) throws -> [String] {
    let statement = try connection.prepare(
      "SELECT name FROM sqlite_schema WHERE type = 'table' AND name LIKE 'tributary\\_%' ESCAPE '\\' ORDER BY name"
    )
    var names: [String] = []
    while try statement.step() { names.append(statement.string(0)) }
    return names
  }

  private static func value(like old: Value, _ random: inout SeededGenerator) -> Value {
    if case .blob(let bytes) = old, !bytes.isEmpty, bytes.count < 1000, random.once(in: 3) {
      // Half of it.
      return .blob(Array(bytes.prefix(bytes.count / 2)))
    }
    return random.pick([
      .null, .integer(-1), .integer(0), .integer(1), .integer(.max), .integer(.min),
      .integer(1 << 62), .real(7.5), .real(.infinity), .string(""), .string("x"), .blob([]),
      .blob([UInt8](repeating: 0xff, count: random.number(1...40))),
      .blob(random.bytes(count: random.number(1...40))),
      .string(String(repeating: "9", count: 40)),
    ])
  }
}
