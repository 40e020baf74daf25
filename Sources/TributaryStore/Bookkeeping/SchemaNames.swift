import TributaryCore
import TributarySQLite

/// The names of the schemas under which this store's transactions were written.
package struct SchemaNames {
  private let connection: Connection

  package init(_ connection: Connection) { self.connection = connection }

  /// Returns the number of a name, recording it if it is new.
  package func number(of name: String) throws -> UInt32 {
    if let number = try connection.integer(
      "SELECT id FROM tributary_schema WHERE name = ?", .string(name))
    {
      guard let number = UInt32(exactly: number) else {
        throw StoreError.damaged(
          "the schema \(name) has an invalid number in tributary_schema", path: connection.path)
      }
      return number
    }
    try connection.cached("INSERT INTO tributary_schema (name) VALUES (?)").run(.string(name))
    return try number(of: name)
  }

  /// Returns the name for a number; `nil` for an unused number.
  package func name(of number: UInt32) throws -> String? {
    let statement = try connection.cached("SELECT name FROM tributary_schema WHERE id = ?")
    defer { statement.reset() }
    try statement.bind(Int64(number), at: 1)
    return try statement.step() ? statement.string(0) : nil
  }
}
