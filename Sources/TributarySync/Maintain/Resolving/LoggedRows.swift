import TributaryCore
import TributaryMerge
import TributarySQLite
import TributaryStore

/// The changes of single rows in the logs: everything that the store has imported or made, in ascending order
/// of stamp.
///
/// Changes are read as their authors meant them, even if different rows were given one number by accident.
struct LoggedRows {
  let path: String
  let connection: Connection
  let environment: StoreEnvironment
  let schema: ReplicatedSchema

  init(path: String, connection: Connection, environment: StoreEnvironment) throws {
    self.path = path
    self.connection = connection
    self.environment = environment
    schema = try ReplicatedSchema(connection, selection: TableSelection(connection))
  }

  /// Returns the changes of each of the rows; empty for a row that no log mentions.
  ///
  /// - Complexity: reads the logs once, from the beginning.
  /// - Throws: `SyncError` with the code `logsMissing` if the container lacks some.
  func histories(of rows: Set<RowIdentity>) throws -> [RowIdentity: RowHistory] {
    var histories: [RowIdentity: RowHistory] = [:]
    if rows.isEmpty { return histories }
    try forEachChange(of: Set(rows.map(\.table)), where: rows.contains) { row, change in
      histories[row, default: RowHistory()].changes.append(change)
    }
    return histories.mapValues { history in
      var history = history
      history.sort()
      return history
    }
  }

  /// Passes on the changes of some tables, by their positions in the schema.
  ///
  /// - Parameter isWanted: selects rows.
  /// - Throws: what `histories(of:)` throws.
  func forEachChange(
    of tables: Set<Int>, where isWanted: (RowIdentity) -> Bool = { _ in true },
    _ body: (RowIdentity, RowHistory.Change) throws -> Void
  ) throws {
    let names = tables.reduce(into: Set<SQLName>()) {
      $0.formUnion(schema.names.names(of: SQLName(schema.tables[$1].name)))
    }
    var meaning = try ChangeMeaning(connection)
    var shapes: [PeerIdentity: ShapeCache<Bool>] = [:]
    _ = try LogReplay(path: path, connection: connection, environment: environment)
      .forEachTransaction { stream, head in
        let author = BatchTransaction(head, of: stream.peer, schema: stream.schema)
        var place: Int32 = 0
        while let change = try stream.nextChange() {
          place += 1
          let isOfTable = shapes[stream.peer, default: ShapeCache()].value(
            change.shapeID, of: stream
          ) { names.contains(SQLName($0.table)) }
          if isOfTable,
            let found = try meaning.read(
              change, stream.shape(change.shapeID), by: author, place: place,
              where: isWanted)
          {
            try body(found.row, found.change)
          }
        }
      }
  }
}
