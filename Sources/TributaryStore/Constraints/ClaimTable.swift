import TributaryCore
import TributarySQLite

/// Since when rows have had the unique keys that held rows claim, and since when held rows have had their
/// references.
///
/// It is kept for exactly those keys that some held row claims. With it, a commit can decide which row comes
/// first without reading logs, and can find the held rows that it concerns.
struct ClaimTable {
  private let connection: Connection
  private let schema: ReplicatedSchema

  init(_ connection: Connection, schema: ReplicatedSchema) {
    self.connection = connection
    self.schema = schema
  }

  /// A unique key or a reference, and the values of one row in it.
  struct Subject: Hashable {
    /// The index's name, or the number of a reference after "#".
    /// "!" is the row as a whole, which is kept out of its table only by its own values.
    var name: String
    var bytes: [UInt8]

    /// Returns the subject for a row as a whole, different from that of any other row.
    static func whole(_ row: RowIdentity) -> Subject { Subject(name: "!", bytes: row.key) }
  }

  static func isEmpty(_ connection: Connection) throws -> Bool {
    try connection.integer("SELECT 1 FROM tributary_claim LIMIT 1") == nil
  }

  /// Whether there are any claims of a table.
  static func isThere(of table: String, _ connection: Connection) throws -> Bool {
    let statement = try connection.cached(
      "SELECT 1 FROM tributary_claim WHERE \"table\" = ? LIMIT 1")
    defer { statement.reset() }
    try statement.bind([.string(table)])
    return try statement.step()
  }

  /// Makes sure that rows can be found by what they claim, even in stores that were made without the index.
  static func makeIndex(_ connection: Connection) throws {
    try connection.execute(
      """
      CREATE INDEX IF NOT EXISTS tributary_claim_value
      ON tributary_claim ("table", name, value)
      """)
  }

  /// Returns since when the row has had its recorded subjects, as far as that is known.
  func claims(of row: RowIdentity) throws -> [Subject: Conflict.Side] {
    let statement = try connection.cached(
      """
      SELECT name, value, peer, sequence, time FROM tributary_claim WHERE "table" = ? AND key = ?
      """)
    defer { statement.reset() }
    try statement.bind([.string(schema.tables[row.table].name), .blob(row.key)])
    var claims: [Subject: Conflict.Side] = [:]
    while try statement.step() {
      let sequence = statement.integer(3)
      guard let peer = statement.peer(2),
        statement.sequence(3) != nil || sequence == 0 && peer == Conflict.Side.earliest.peer
      else {
        throw StoreError.damaged(
          "a claim of table \(schema.tables[row.table].name) cannot be read", path: connection.path)
      }
      let side = Conflict.Side(
        peer: peer, sequence: SequenceNumber(UInt64(sequence)),
        time: HybridTime(rawValue: UInt64(bitPattern: statement.integer(4))))
      if side == Self.nobody { continue }
      claims[Subject(name: statement.string(0), bytes: Array(statement.bytes(1)))] = side
    }
    return claims
  }

  /// Returns the recorded subjects of the row, whether or not it is known since when it has had them.
  func subjects(of row: RowIdentity) throws -> [Subject] {
    let statement = try connection.cached(
      "SELECT name, value FROM tributary_claim WHERE \"table\" = ? AND key = ?")
    defer { statement.reset() }
    try statement.bind([.string(schema.tables[row.table].name), .blob(row.key)])
    var subjects: [Subject] = []
    while try statement.step() {
      subjects.append(Subject(name: statement.string(0), bytes: Array(statement.bytes(1))))
    }
    return subjects
  }

  /// Returns the rows that, according to the records, claim a key or refer to something.
  func rows(with key: RowKey) throws -> [RowIdentity] {
    try rows(
      "SELECT key FROM tributary_claim WHERE \"table\" = ? AND name = ? AND value = ?", key.table,
      [.string(key.subject.name), .blob(key.subject.bytes)])
  }

  /// Returns the rows that have a reference, whatever they refer to.
  ///
  /// - Complexity: O(such rows).
  func rows(with place: ReferencePlace) throws -> [RowIdentity] {
    try rows(
      "SELECT key FROM tributary_claim WHERE \"table\" = ? AND name = ?", place.table,
      [.string("#\(place.position)")])
  }

  private func rows(
    _ sql: String, _ table: Int, _ parameters: [Value]
  ) throws -> [RowIdentity] {
    let statement = try connection.cached(sql)
    defer { statement.reset() }
    try statement.bind([.string(schema.tables[table].name)] + parameters)
    var rows: [RowIdentity] = []
    while try statement.step() {
      rows.append(RowIdentity(table: table, key: Array(statement.bytes(0))))
    }
    return rows
  }

  /// A placeholder for an unknown transaction.
  private static let nobody = Conflict.Side(
    peer: PeerIdentity(high: 0, low: 0), sequence: SequenceNumber(1), time: .zero)

  /// Replaces the claims of a row.
  ///
  /// - Parameter claims: each with the transaction since which the row has had it, or `nil` if that is not
  ///   known.
  func replace(_ row: RowIdentity, with claims: [Subject: Conflict.Side?]) throws {
    let table = Value.string(schema.tables[row.table].name)
    try connection.cached("DELETE FROM tributary_claim WHERE \"table\" = ? AND key = ?")
      .run(table, .blob(row.key))
    for (subject, known) in claims {
      let side = known ?? Self.nobody
      try connection.cached("INSERT INTO tributary_claim VALUES (?, ?, ?, ?, ?, ?, ?)").run(
        table, .blob(row.key), .string(subject.name), .blob(subject.bytes), .blob(side.peer.bytes),
        .integer(Int64(side.sequence.rawValue)),
        .integer(Int64(bitPattern: side.time.rawValue)))
    }
  }
}
