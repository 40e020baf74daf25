import TributaryCore
import TributarySQLite

/// The migrations whose rows this store has written or imported, by their marks.
package struct WrittenMigrations {
  private let connection: Connection

  package init(_ connection: Connection) { self.connection = connection }

  package func contains(_ mark: String) throws -> Bool {
    try Settings(connection).lines(.migrated).contains(mark)
  }

  package func all() throws -> [String] { try Settings(connection).lines(.migrated) }

  /// Records marks, within the open transaction.
  package func add(_ marks: some Sequence<String>) throws {
    var known = try all()
    let count = known.count
    for mark in marks where !known.contains(mark) { known.append(mark) }
    if known.count > count { try Settings(connection).set(.migrated, lines: known) }
  }

  /// Returns the mark in the name of a schema; `nil` if the transaction has no rows of a migration that runs once.
  ///
  /// Such a name is that of the schema, a space, and the mark.
  package static func mark(inSchema name: String) -> String? {
    let bytes = name.utf8
    guard bytes.count == 33, let space = bytes.firstIndex(of: UInt8(ascii: " ")),
      bytes.distance(from: space, to: bytes.endIndex) == 17
    else { return nil }
    return String(name[bytes.index(after: space)...])
  }

  static func schema(_ name: String, marked mark: String) -> String { "\(name) \(mark)" }
}
