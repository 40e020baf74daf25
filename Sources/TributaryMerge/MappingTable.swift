import TributaryCore
import TributaryLog
import TributaryStore

/// All mappings from logs to the tables here; each is made when it is first needed.
struct MappingTable {
  private let schema: ReplicatedSchema
  private let selection: TableSelection
  private let names: NameChanges
  private var mappings: [TableShape: TableMapping?] = [:]

  /// - Parameter names: what the names of tables and columns in logs mean, where they differ from those here.
  init(schema: ReplicatedSchema, selection: TableSelection, names: NameChanges) {
    self.schema = schema
    self.selection = selection
    self.names = names
  }

  /// Returns the mapping of a shape.
  ///
  /// - Returns: `nil` for a table that is intentionally left out here, or that a migration has dropped.
  /// - Throws: `MergeError` with the code `schema` if the table or a column does not exist here.
  mutating func mapping(for shape: TableShape) throws(MergeError) -> TableMapping? {
    if let known = mappings[shape] { return known }
    guard selection.includes(shape.table) else {
      mappings[shape] = .some(nil)
      return nil
    }
    let mapping = try makeMapping(for: shape)
    mappings[shape] = .some(mapping)
    return mapping
  }

  private func makeMapping(for shape: TableShape) throws(MergeError) -> TableMapping? {
    var number = schema.tableNumber(named: shape.table)
    if number == nil {
      switch names.meaning(of: shape.table, among: schema) {
      case .present(let name):
        guard selection.includes(name) else { return nil }
        number = schema.tableNumber(named: name)
      case .dropped: return nil
      case .unknown: break
      }
    }
    guard let number, schema.tables[number].refusal == nil else {
      throw MergeError(
        .schema, "the log has a table \(shape.table) that does not exist here",
        remedy: "run the migration that makes it, then sync again")
    }
    return try TableMapping(shape, table: schema.tables[number], number: UInt32(number), names)
  }
}
