import TributaryCore
import TributarySQLite

/// Since when rows have the unique keys that held rows claim, and the references of held rows.
///
/// Kept for exactly the keys that some held row claims, so that a commit can decide who comes first
/// without reading logs.
struct ClaimTable {
  private let connection: Connection
  private let schema: ReplicatedSchema

  init(_ connection: Connection, schema: ReplicatedSchema) {
    self.connection = connection
    self.schema = schema
  }

  /// A unique key or a reference, and the values of one row in it.
  struct Subject: Hashable {
    /// The index's name, or a number of a reference behind "#".
    var name: String
    var bytes: [UInt8]
  }

  func claims(of row: RowIdentity) throws -> [Subject: Conflict.Side] {
    let statement = try connection.cached(
      """
      SELECT name, value, peer, sequence, time FROM tributary_claim WHERE "table" = ? AND key = ?
      """)
    defer { statement.reset() }
    try statement.bind([.string(schema.tables[row.table].name), .blob(row.key)])
    var claims: [Subject: Conflict.Side] = [:]
    while try statement.step() {
      guard let peer = statement.peer(2), statement.sequence(3) != nil else {
        throw StoreError.damaged(
          "a claim of table \(schema.tables[row.table].name) cannot be read", path: connection.path)
      }
      claims[Subject(name: statement.string(0), bytes: Array(statement.bytes(1)))] = Conflict.Side(
        peer: peer, sequence: SequenceNumber(UInt64(clamping: statement.integer(3))),
        time: HybridTime(rawValue: UInt64(bitPattern: statement.integer(4))))
    }
    return claims
  }

  func replace(_ row: RowIdentity, with claims: [Subject: Conflict.Side]) throws {
    let table = Value.string(schema.tables[row.table].name)
    try connection.cached("DELETE FROM tributary_claim WHERE \"table\" = ? AND key = ?")
      .run(table, .blob(row.key))
    for (subject, side) in claims {
      try connection.cached("INSERT INTO tributary_claim VALUES (?, ?, ?, ?, ?, ?, ?)").run(
        table, .blob(row.key), .string(subject.name), .blob(subject.bytes), .blob(side.peer.bytes),
        .integer(Int64(side.sequence.rawValue)),
        .integer(Int64(bitPattern: side.time.rawValue)))
    }
  }
}
