import TributaryCore
import TributaryLog
import TributarySQLite

/// The stored numberings of numbers that several rows were given.
package struct NumberingTable {
  private let connection: Connection
  private let schema: ReplicatedSchema

  package init(_ connection: Connection, schema: ReplicatedSchema) {
    self.connection = connection
    self.schema = schema
  }

  /// Whether there are any numberings.
  package static func isUsed(_ connection: Connection) throws -> Bool {
    try connection.integer("SELECT 1 FROM tributary_birth LIMIT 1") != nil
  }

  /// Whether there are any numberings of a table.
  static func mentions(_ table: String, _ connection: Connection) throws -> Bool {
    try connection.integer(
      "SELECT 1 FROM tributary_birth WHERE \"table\" = ? COLLATE NOCASE LIMIT 1", .string(table))
      != nil
  }

  package func all() throws -> [Numbering] {
    let statement = try connection.cached(
      """
      SELECT "table", number, peer, sequence, time, view, content, identity FROM tributary_birth
      """)
    defer { statement.reset() }
    var numberings: [Numbering] = []
    // Numberings that one peer made with the same knowledge share that knowledge.
    var shared: [PeerIdentity: Knowledge] = [:]
    while try statement.step() {
      let name = statement.string(0)
      guard
        let table = schema.tableNumber(named: name)
      else { continue }
      guard let peer = statement.peer(2), let sequence = statement.sequence(3),
        statement.type(1) == .integer, statement.type(4) == .integer,
        var seen = Knowledge(decoding: statement.bytes(5)),
        [0, 8].contains(statement.bytes(6).count),
        let identity = Self.values(
          statement.bytes(7), count: schema.tables[table].identifyingColumns.count)
      else {
        throw StoreError.damaged(
          "a row of tributary_birth is invalid", path: connection.path)
      }
      let side = Conflict.Side(
        peer: peer, sequence: sequence,
        time: HybridTime(rawValue: UInt64(bitPattern: statement.integer(4))))
      // A numbering knows the earlier transactions of its own peer in any case.
      seen[peer] = .zero
      if let known = shared[peer], known == seen { seen = known } else { shared[peer] = seen }
      numberings.append(
        Numbering(
          table: table, number: statement.integer(1),
          transaction: BatchTransaction(side: side, knowledge: seen),
          content: statement.bytes(6).isEmpty
            ? nil : UInt64(bigEndian: statement.bytes(6).loadUnaligned(as: UInt64.self)),
          standsAlone: schema.tables[table].keepsEqualRowsApart, identity: identity))
    }
    return numberings
  }

  /// Decodes values.
  ///
  /// - Parameter count: the number of values; 0 if the values of a migration, however many, make rows the
  ///   same.
  /// - Returns: `nil` if there are fewer.
  private static func values(_ bytes: UnsafeRawBufferPointer, count: Int) -> [Value]? {
    if bytes.isEmpty { return [] }
    var cursor = ImageCursor(bytes)
    var values: [Value] = []
    while count == 0 ? !cursor.isAtEnd : values.count < count {
      // The caller reports what cannot be read.
      guard let value = try? cursor.next().value else { return nil }
      values.append(value)
    }
    return values
  }

  package func insert(_ numberings: [Numbering]) throws {
    for numbering in numberings {
      let side = numbering.transaction.side
      var identity = ByteBuffer()
      for value in numbering.identity { identity.append(value) }
      try connection.cached(
        "INSERT OR REPLACE INTO tributary_birth VALUES (?, ?, ?, ?, ?, ?, ?, ?)"
      )
      .run(
        .string(schema.tables[numbering.table].name), .integer(numbering.number),
        .blob(side.peer.bytes), .integer(Int64(side.sequence.rawValue)),
        .integer(Int64(bitPattern: side.time.rawValue)),
        .blob(numbering.transaction.seen.encoded),
        .blob(numbering.content.map { withUnsafeBytes(of: $0.bigEndian) { Array($0) } } ?? []),
        .blob(Array(identity.bytes)))
    }
  }
}
