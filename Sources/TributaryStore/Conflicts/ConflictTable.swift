import TributaryCore
import TributaryLog
import TributarySQLite

/// The conflicts of a store, including ended ones.
package struct ConflictTable {
  let connection: Connection

  package init(_ connection: Connection) { self.connection = connection }

  private static let columns = """
    id, "table", row, key, kind, held, columns, winner_peer, winner_sequence, winner_time, loser_peer,
    loser_sequence, loser_time, ended
    """

  /// Returns the number of conflicts that have not ended.
  package func count() throws -> Int {
    Int(try connection.integer("SELECT count(*) FROM tributary_conflict WHERE ended = 0") ?? 0)
  }

  /// Whether there are no open conflicts.
  package func isEmpty() throws -> Bool {
    try connection.integer("SELECT 1 FROM tributary_conflict WHERE ended = 0 LIMIT 1") == nil
  }

  /// Whether rows are held because of their own values alone.
  func hasBrokenRows() throws -> Bool {
    let kinds = Conflict.Kind.allCases.filter(\.isAboutRow).map { "'\($0.rawValue)'" }
    return try connection.integer(
      """
      SELECT 1 FROM tributary_conflict WHERE ended = 0 AND kind IN (\(kinds.joined(separator: ", ")))
      LIMIT 1
      """) != nil
  }

  /// Whether a table has open conflicts.
  func isThere(of table: String) throws -> Bool {
    let statement = try connection.cached(
      "SELECT 1 FROM tributary_conflict WHERE ended = 0 AND \"table\" = ? LIMIT 1")
    defer { statement.reset() }
    try statement.bind([.string(table)])
    return try statement.step()
  }

  /// Returns conflicts in the order of tables, keys and identifiers.
  ///
  /// - Parameter ended: whether to include conflicts that have ended.
  package func conflicts(ended: Bool = false) throws -> [Conflict] {
    // Stored keys do not sort like their values.
    let all = try read(ended ? "true" : "ended = 0", [])
    // A conflict that came back and ended again is one conflict.
    var latest: [Conflict.ID: Conflict] = [:]
    for conflict in all {
      guard let known = latest[conflict.id], let end = known.ended else {
        if latest[conflict.id] == nil { latest[conflict.id] = conflict }
        continue
      }
      if conflict.ended.map({ $0 > end }) ?? true { latest[conflict.id] = conflict }
    }
    return latest.values.sorted { $0.precedes($1) }
  }

  /// Returns the conflict with an identifier, whether open or ended.
  ///
  /// - Complexity: O(conflicts).
  package func conflict(_ id: String) throws -> Conflict? {
    try read("id = ? ORDER BY ended = 0 DESC, ended DESC LIMIT 1", [.string(id)]).first
  }

  /// Returns the open conflicts with these identifiers.
  ///
  /// - Complexity: O(open conflicts), however many identifiers there are.
  package func lasting(_ ids: [Conflict.ID]) throws -> [Conflict.ID: Conflict] {
    var wanted = JSONWriter()
    wanted.array { for id in ids { $0.string(id) } }
    let found = try read(
      "ended = 0 AND id IN (SELECT value FROM json_each(?))", [.text(wanted.bytes)])
    return Dictionary(found.map { ($0.id, $0) }) { first, _ in first }
  }

  /// Returns the open conflicts of one row.
  ///
  /// - Parameter row: its key in the spelling that all equal keys share.
  package func conflicts(of table: String, row: [UInt8]) throws -> [Conflict] {
    try read(
      "ended = 0 AND \"table\" = ? AND row = ? ORDER BY id", [.string(table), .blob(row)])
  }

  /// Records a conflict, replacing any record with the same identifier.
  ///
  /// - Parameter row: the key in the spelling that all equal keys share.
  package func put(_ conflict: Conflict, row: [UInt8]) throws {
    let statement = try connection.cached(
      """
      INSERT OR REPLACE INTO tributary_conflict (\(Self.columns))
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
      """)
    // Each value is bound separately: an array of them would be allocated for each conflict.
    try statement.bind(.string(conflict.id), at: 1)
    try statement.bind(.string(conflict.table), at: 2)
    try statement.bind(.blob(row), at: 3)
    try statement.bind(.blob(Self.encoded(conflict.key)), at: 4)
    try statement.bind(.string(conflict.kind.rawValue), at: 5)
    try statement.bind(.integer(conflict.isHeld ? 1 : 0), at: 6)
    try statement.bind(
      .blob(Conflict.Cell.encoded(conflict.values, winner: conflict.winner)), at: 7)
    func bind(_ side: Conflict.Side, at first: Int) throws {
      try statement.bind(.blob(side.peer.bytes), at: first)
      try statement.bind(Int64(side.sequence.rawValue), at: first + 1)
      try statement.bind(Int64(bitPattern: side.time.rawValue), at: first + 2)
    }
    try bind(conflict.winner, at: 8)
    try bind(conflict.loser, at: 11)
    try statement.bind(Int64(clamping: conflict.ended ?? 0), at: 14)
    try statement.run()
  }

  /// Records that an open conflict of that row has ended.
  ///
  /// A conflict whose loser was not known yet is forgotten: no other device has it under its identifier.
  package func end(_ conflict: Conflict, row: [UInt8], milliseconds: UInt64) throws {
    if try conflict.loser == .earliest && HorizonRecord(connection).settled == nil {
      return try remove(conflict, row: row)
    }
    try connection.cached(
      """
      UPDATE OR REPLACE tributary_conflict SET ended = ?
      WHERE ended = 0 AND "table" = ? AND row = ? AND id = ?
      """
    ).run(
      .integer(Int64(clamping: max(1, milliseconds))), .string(conflict.table), .blob(row),
      .string(conflict.id))
  }

  /// Removes an open conflict without recording that it ended.
  func remove(_ conflict: Conflict, row: [UInt8]) throws {
    try connection.cached(
      "DELETE FROM tributary_conflict WHERE ended = 0 AND \"table\" = ? AND row = ? AND id = ?"
    ).run(.string(conflict.table), .blob(row), .string(conflict.id))
  }

  /// For each conflict about cells of a table, makes the latest winner of its remaining columns the winner of
  /// the conflict.
  func renewWinners(in table: SQLName) throws {
    let all = try readWithRows("\"table\" = ? COLLATE NOCASE", [.string(table.text)])
    for (conflict, row) in all where conflict.kind.isAboutCells {
      guard let winner = conflict.values.compactMap(\.winner).max(), winner != conflict.winner
      else {
        continue
      }
      var conflict = conflict
      conflict.winner = winner
      try put(conflict, row: row)
    }
  }

  /// Returns the open conflicts about whole rows, each with its row.
  func openConflictsOfRows() throws -> [(conflict: Conflict, row: [UInt8])] {
    try readWithRows("ended = 0", []).filter { !$0.conflict.kind.isAboutCells }
  }

  private func read(_ condition: String, _ parameters: [Value]) throws -> [Conflict] {
    try readWithRows(condition, parameters).map(\.conflict)
  }

  private func readWithRows(
    _ condition: String, _ parameters: [Value]
  ) throws -> [(conflict: Conflict, row: [UInt8])] {
    let statement = try connection.cached(
      "SELECT \(Self.columns) FROM tributary_conflict WHERE \(condition)")
    defer { statement.reset() }
    try statement.bind(parameters)
    var conflicts: [(conflict: Conflict, row: [UInt8])] = []
    while try statement.step() {
      guard let kind = Conflict.Kind(rawValue: statement.string(4)),
        let winner = Self.side(statement, from: 7), let loser = Self.side(statement, from: 10)
      else {
        throw damaged
      }
      let key: [Value]
      let values: [Conflict.Cell]
      do {
        key = try Self.decoded(statement.bytes(3))
        values = try Conflict.Cell.decoded(statement.bytes(6), winner: winner)
      } catch {
        throw damaged
      }
      let conflict = Conflict(
        id: statement.string(0), table: statement.string(1), key: key, kind: kind,
        isHeld: statement.integer(5) != 0, values: values, winner: winner, loser: loser,
        ended: statement.integer(13) == 0 ? nil : UInt64(clamping: statement.integer(13)))
      conflicts.append((conflict, Array(statement.bytes(2))))
    }
    return conflicts
  }

  private var damaged: StoreError {
    .damaged("a conflict cannot be read", path: connection.path)
  }

  private static func side(_ statement: Statement, from column: Int) -> Conflict.Side? {
    PeerIdentity(bytes: statement.bytes(column)).map {
      Conflict.Side(
        peer: $0, sequence: SequenceNumber(UInt64(clamping: statement.integer(column + 1))),
        time: HybridTime(rawValue: UInt64(bitPattern: statement.integer(column + 2))))
    }
  }

  private static func encoded(_ values: [Value]) -> [UInt8] {
    var buffer = ByteBuffer()
    for value in values { buffer.append(value) }
    return Array(buffer.bytes)
  }

  private static func decoded(_ bytes: UnsafeRawBufferPointer) throws(LogError) -> [Value] {
    var cursor = ImageCursor(bytes)
    var values: [Value] = []
    while !cursor.isAtEnd { values.append(try cursor.next().value ?? .null) }
    return values
  }
}
