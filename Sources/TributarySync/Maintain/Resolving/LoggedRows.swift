import TributaryCore
import TributaryLog
import TributaryMerge
import TributarySQLite
import TributaryStore

/// The changes of single rows in the logs: all that the store has imported or made, in ascending
/// order of stamp.
///
/// Changes are read as their authors meant them, where rows were given one number by accident.
struct LoggedRows {
  /// A row of a table here.
  struct Row: Hashable {
    var table: String
    /// The key, in the order of the primary key.
    var key: [Value]
  }

  let path: String
  let connection: Connection
  let environment: StoreEnvironment

  /// A change while it is read.
  struct Passage {
    /// The position among the requested tables.
    var table: Int
    var shape: TableShape
    var encoder: RowKeyEncoder
    var change: ChangeView
    var transaction: BatchTransaction
  }

  /// Returns the changes of each of the rows.
  ///
  /// - Complexity: reads the logs once, from their beginning.
  /// - Throws: `SyncError.logsMissing` if the container lacks some.
  func changes(of rows: [Row]) throws -> [[LoggedChange]] {
    var changes: [[LoggedChange]] = Array(repeating: [], count: rows.count)
    guard !rows.isEmpty else { return changes }
    let tables = Array(Set(rows.map { SQLName($0.table) }))
    // A key has different bytes under each shape, but equal keys are equal under one.
    var known: [TableShape: [[UInt8]: [Int]]] = [:]
    var key = ByteBuffer()
    try forEachChange(in: tables) { passage in
      if known[passage.shape] == nil {
        var places: [[UInt8]: [Int]] = [:]
        for (place, row) in rows.enumerated()
        where SQLName(row.table) == tables[passage.table]
          && row.key.count == passage.shape.keys.count
        {
          key.removeAll()
          try passage.encoder.encode(row.key, into: &key)
          places[Array(key.bytes), default: []].append(place)
        }
        known[passage.shape] = places
      }
      key.removeAll()
      try passage.encoder.encode(
        passage.change.operation, image: passage.change.image, into: &key)
      for place in known[passage.shape]?[Array(key.bytes)] ?? [] {
        changes[place].append(
          try LoggedChange(
            passage.change, shape: passage.shape, transaction: passage.transaction))
      }
    }
    return changes
  }

  /// Passes on all changes of some tables.
  ///
  /// - Throws: as `changes(of:)` does.
  func forEachChange(in tables: [SQLName], _ body: (Passage) throws -> Void) throws {
    var meaning = try ChangeMeaning(connection)
    var shapes: [PeerIdentity: Shapes] = [:]
    _ = try LogReplay(path: path, connection: connection, environment: environment)
      .forEachTransaction { stream, head in
        let transaction = BatchTransaction(head, of: stream.peer)
        while let change = try stream.nextChange() {
          guard
            let known = shapes[stream.peer, default: Shapes()].shape(
              change.shapeID, of: stream, in: tables)
          else { continue }
          try meaning.read(change, known.encoder.shape, by: transaction) { change in
            try body(
              Passage(
                table: known.table, shape: known.encoder.shape, encoder: known.encoder,
                change: change, transaction: transaction))
          }
        }
      }
  }

  /// The shapes of one stream that belong to requested tables.
  private struct Shapes {
    private var generation = -1
    private var known: [UInt32: (table: Int, encoder: RowKeyEncoder)?] = [:]

    mutating func shape(
      _ id: UInt32, of stream: some TransactionStream, in names: [SQLName]
    ) -> (table: Int, encoder: RowKeyEncoder)? {
      if generation != stream.generation {
        generation = stream.generation
        known.removeAll()
      }
      if let shape = known[id] { return shape }
      let shape = stream.shape(id)
      let found = names.firstIndex(of: SQLName(shape.table)).map {
        ($0, RowKeyEncoder(shape: shape))
      }
      known[id] = .some(found)
      return found
    }
  }
}
