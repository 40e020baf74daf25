import TributaryCore
import TributaryLog
import TributarySQLite
import TributaryStore

/// Reads single changes from logs as their authors meant them.
public struct ChangeMeaning {
  private let rereading: Rereading
  private var mappingTable: MappingTable

  /// Reads what is needed from a store.
  ///
  /// - Parameter connection: a connection to a store, which is only read.
  public init(_ connection: Connection) throws {
    let selection = try TableSelection(connection)
    let schema = try ReplicatedSchema(connection, selection: selection)
    mappingTable = MappingTable(schema: schema, selection: selection)
    let constraints = try ConstraintSet(connection, schema: schema)
    rereading = Rereading(
      roots: KeyRoots(constraints),
      registry: BirthRegistry(
        try BirthTable(connection, schema: schema).all(), tables: constraints.numberedTables))
  }

  /// Lends a change with the present numbers of its rows.
  ///
  /// - Throws: `MergeError.schema` for tables and columns that do not exist here.
  public mutating func read(
    _ change: ChangeView, _ shape: TableShape, by transaction: BatchTransaction,
    _ body: (ChangeView) throws -> Void
  ) throws {
    guard !rereading.registry.isEmpty, let mapping = try mappingTable.mapping(for: shape),
      let image = try rereading.image(of: change, mapping, by: transaction)
    else { return try body(change) }
    try image.withUnsafeBytes { bytes in
      try body(ChangeView(operation: change.operation, shapeID: change.shapeID, image: bytes))
    }
  }
}
