internal import TributarySQLite

extension ReferenceContents {
  /// Reads the contents of a database, attached or not.
  package init(of path: String, _ schema: ReferenceSchema) throws {
    let connection = try Connection(path: path, mode: .readOnly)
    defer { connection.close() }
    self.init()
    for table in schema.tables {
      let names = table.columns.map(\.name)
      let statement = try connection.prepare(
        "SELECT \(names.joined(separator: ", ")) FROM \(table.name)")
      while try statement.step() {
        insert(Dictionary(uniqueKeysWithValues: zip(names, statement.values)), into: table)
      }
    }
  }
}
