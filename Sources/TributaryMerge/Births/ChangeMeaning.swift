import TributaryCore
import TributaryLog
import TributarySQLite
import TributaryStore

/// Reads single changes from logs as their authors meant them.
public struct ChangeMeaning {
  private let rereading: Rereading
  private var mappingTable: MappingTable

  /// - Parameter connection: to a store; it is only read.
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

  /// Lends a change with the numbers that its rows have by now.
  ///
  /// - Throws: `MergeError.schema` for tables and columns that are not here.
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
