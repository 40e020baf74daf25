import TributaryCore
import TributarySQLite

/// A foreign key by which rows of a table refer to rows of the same table.
package struct SelfReference: Sendable {
  /// The referring columns and the referenced ones, as positions in the columns of the table.
  package var columns: [(child: Int, parent: Int)]
  /// Whether it has SET NULL or SET DEFAULT. SQLite 3.40 then misses violations where a statement replaces
  /// rows, or might replace them.
  package var setsColumns = false
}

extension SchemaReader {
  /// Reads the foreign keys of a table that refer to the table itself.
  ///
  /// - Parameter keys: the columns of the primary key, in its order.
  func selfReferences(
    of name: String, columns: [TableDescription.Column], keys: [Int]
  ) throws -> [SelfReference] {
    let statement = try connection.cached(
      """
      SELECT id, seq, "from", "to", on_update LIKE 'SET %' OR on_delete LIKE 'SET %' FROM pragma_foreign_key_list(?1, 'main')
      WHERE "table" = ?1 COLLATE NOCASE ORDER BY id, seq
      """)
    defer { statement.reset() }
    try statement.bind(.string(name), at: 1)
    func position(_ column: String) -> Int? {
      columns.firstIndex { SQLName($0.name) == SQLName(column) }
    }
    var found: [SelfReference] = []
    while try statement.step() {
      let place = Int(statement.integer(1))
      if place == 0 {
        found.append(SelfReference(columns: [], setsColumns: statement.integer(4) != 0))
      }
      let key = place < keys.count ? keys[place] : nil
      // If SQLite cannot resolve a reference itself, it refuses every write to the table.
      if let child = position(statement.string(2)),
        let parent = statement.isNull(3) ? key : position(statement.string(3))
      {
        found[found.count - 1].columns.append((child, parent))
      }
    }
    return found
  }
}
