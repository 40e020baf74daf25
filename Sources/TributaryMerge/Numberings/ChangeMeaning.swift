import TributaryCore
import TributaryLog
import TributarySQLite
import TributaryStore

/// Reads single changes from logs with the meaning that their authors intended.
package struct ChangeMeaning {
  private let rereading: Rereading
  private var mappingTable: MappingTable

  /// Reads the necessary information from a store.
  ///
  /// - Parameter connection: a connection to a store, which is only read.
  package init(_ connection: Connection) throws {
    let selection = try TableSelection(connection)
    let schema = try ReplicatedSchema(connection, selection: selection)
    mappingTable = MappingTable(
      schema: schema, selection: selection, names: schema.names)
    let constraints = try ConstraintSet(connection, schema: schema)
    rereading = Rereading(
      roots: KeyRoots(constraints),
      registry: NumberingRegistry(
        try NumberingTable(connection, schema: schema).all(), tables: constraints.numberedTables))
  }

  /// Lends a change with the current numbers of its rows.
  ///
  /// - Throws: `MergeError` with the code `schema` for tables and columns that do not exist here.
  package mutating func read(
    _ change: ChangeView, _ shape: TableShape, by transaction: BatchTransaction,
    _ body: (ChangeView) throws -> Void
  ) throws {
    guard !rereading.registry.isEmpty, let mapping = try mappingTable.mapping(for: shape)
    else { return try body(change) }
    try rereading.withMeaning(of: change, mapping, by: transaction, body)
  }

  /// Returns the row of a change, and the change arranged by the columns here; `nil` if the table is left out
  /// here, or if the filter rejects the row.
  ///
  /// - Parameter place: the position of the change in its transaction.
  /// - Throws: `MergeError` with the code `schema` for tables and columns that do not exist here.
  package mutating func read(
    _ change: ChangeView, _ shape: TableShape, by transaction: BatchTransaction, place: Int32,
    where isWanted: (RowIdentity) -> Bool
  ) throws -> (row: RowIdentity, change: RowHistory.Change)? {
    guard let mapping = try mappingTable.mapping(for: shape) else { return nil }
    return try rereading.withMeaning(of: change, mapping, by: transaction) { change in
      let row = try mapping.identity(of: change)
      return isWanted(row) ? (row, try mapping.change(change, by: transaction, place: place)) : nil
    }
  }
}
