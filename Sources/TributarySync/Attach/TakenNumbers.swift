import TributaryCore
import TributarySQLite
import TributaryStore

/// The numbers that rows have taken over from held ones, in a transaction whose author knew nothing. By such
/// a number, that author means the row that had it first; by its fresh number, the row that has it now.
struct TakenNumbers {
  private let schema: ReplicatedSchema
  private let roots: KeyRoots
  private let freshNumbers: [SharedNumber: Int64]

  init(_ schema: ReplicatedSchema, _ connection: Connection) throws {
    let constraints = try ConstraintSet(connection, schema: schema)
    self.schema = schema
    roots = KeyRoots(constraints)
    freshNumbers =
      NumberingRegistry(
        try NumberingTable(connection, schema: schema).all(), tables: constraints.numberedTables
      ).namesOfTakenNumbers
  }

  /// Returns what to write for the numbers of rows that the database has as the logs show them. These are the
  /// rows that it means.
  ///
  /// - Parameter forEachRow: passes on the rows of a table, each with the row that the logs show under its
  ///   key.
  func names(
    forEachRow: (_ table: Int, _ body: ([Value], [Value]?) -> Void) throws -> Void
  ) rethrows -> NumberSubstitution {
    var names: [SharedNumber: Int64] = [:]
    for table in Set(freshNumbers.keys.map(\.table)) {
      try forEachRow(table) { row, visible in
        guard let visible, zip(row, visible).allSatisfy({ $0.hasSameBits(as: $1) }),
          let number = schema.tables[table].key(of: row)[0].rowNumber
        else { return }
        let shared = SharedNumber(table: table, number: number)
        names[shared] = freshNumbers[shared]
      }
    }
    return NumberSubstitution(roots: roots, numbers: names)
  }
}
