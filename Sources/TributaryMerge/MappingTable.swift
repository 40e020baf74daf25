import TributaryCore
import TributaryLog
import TributaryStore

/// All mappings from logs to the tables here, made when they are first needed.
struct MappingTable {
  private let schema: ReplicatedSchema
  private let selection: TableSelection
  private var mappings: [TableShape: TableMapping?] = [:]

  init(schema: ReplicatedSchema, selection: TableSelection) {
    self.schema = schema
    self.selection = selection
  }

  /// Returns the mapping of a shape.
  ///
  /// - Returns: `nil` for a table that is intentionally left out here.
  /// - Throws: `schema` if the table or a column does not exist here.
  mutating func mapping(for shape: TableShape) throws(MergeError) -> TableMapping? {
    if let known = mappings[shape] { return known }
    guard selection.includes(shape.table) else {
      mappings[shape] = .some(nil)
      return nil
    }
    guard
      let index = schema.tableNumber(named: shape.table),
      schema.tables[index].refusal == nil
    else {
      throw MergeError(
        .schema, "the log has a table \(shape.table) that does not exist here",
        remedy: "run the migration that makes it, then sync again")
    }
    let mapping = try TableMapping(shape, table: schema.tables[index], number: UInt32(index))
    mappings[shape] = mapping
    return mapping
  }
}
