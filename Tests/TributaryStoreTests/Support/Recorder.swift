import Testing
import TributaryCore
import TributarySQLite
import TributarySimulation
import TributaryStore
import TributaryTesting

/// A store, and what it records of each write.
final class Recorder {
  let store: LocalStore
  let clock = AdjustableClock()

  /// What the records alone say the tables hold; `nil` once the tables have changed.
  private var history: [ReferenceTransaction]? = []
  private let schema: ReferenceSchema
  private let names: [String]

  init(
    _ script: String, selection: TableSelection = .all, merge: MergeOptions = MergeOptions(),
    in directory: String
  ) throws {
    let path = "\(directory)/store.db"
    let connection = try Connection(path: path, mode: .create)
    try connection.execute(script)
    connection.close()
    let identity = StoreIdentity(
      peer: PeerIdentity(high: 1, low: 2), peerName: "recorder", container: directory,
      contentRoot: "tributary", contentName: "C")
    try Attachment(identity: identity, selection: selection, migrations: [], merge: merge)
      .perform(at: path, adopts: true)
    store = try LocalStore(path: path, milliseconds: clock.read)
    let tables = try store.schema().tables.filter { $0.refusal == nil }
    names = tables.map(\.name)
    schema = ReferenceSchema(tables: tables.map(ReferenceTable.init))
    if let adopted = try record(SequenceNumber(1)) { remember(adopted) }
    // The reference takes every value for the one that the column has.
    if tables.contains(where: \.hasPolicies) { forgetHistory() }
  }

  /// Runs a script in one transaction.
  ///
  /// - Returns: the changes recorded, a line each, in order; none without a record.
  func write(_ script: String) throws -> [String] {
    try write { try $0.execute(script) }
  }

  /// The same for a closure.
  func write(_ body: (Database) throws -> Void) throws -> [String] {
    let last = try last()
    try store.write(body)
    let now = try self.last()
    if now == last {
      try checkContents()
      return []
    }
    let transaction = try #require(try record(last.next))
    #expect(now == last.next, "one commit, one record")
    #expect(!transaction.changes.isEmpty, "a record says something")
    remember(transaction)
    try checkContents()
    return transaction.changes.map(Self.line).sorted()
  }

  /// Runs a write that must fail.
  ///
  /// - Returns: the error, as it is shown.
  func failure(_ body: (Database) throws -> Void) throws -> String {
    let last = try last()
    var message: String?
    do { try store.write(body) } catch { message = "\(error)" }
    #expect(try self.last() == last, "nothing is recorded")
    try checkContents()
    return try #require(message, "it must fail")
  }

  func failure(_ script: String) throws -> String { try failure { try $0.execute(script) } }

  /// Expects that a script in one transaction records these changes.
  func expect(
    _ script: String, _ lines: [String], sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    try expect(lines, sourceLocation: sourceLocation) { try $0.execute(script) }
  }

  /// The same for a closure.
  func expect(
    _ lines: [String], sourceLocation: SourceLocation = #_sourceLocation,
    writing body: (Database) throws -> Void
  ) throws {
    let recorded = try write(body)
    #expect(recorded == lines, sourceLocation: sourceLocation)
  }

  /// Expects that a script fails, and says this among other things.
  func expectFailure(
    _ script: String, _ part: String, sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let message = try failure(script)
    #expect(message.contains(part), sourceLocation: sourceLocation)
  }

  /// Expects that a query has these rows.
  func expectRows(
    _ sql: String, _ lines: [String], sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let rows = try rows(sql)
    #expect(rows == lines, sourceLocation: sourceLocation)
  }

  func last() throws -> SequenceNumber {
    try store.service { try Outbox($0).last()?.sequence ?? .zero }
  }

  func record(_ sequence: SequenceNumber) throws -> RecordedTransaction? {
    try store.service { try RecordedTransaction(sequence, from: $0) }
  }

  /// All rows of a query, a line each.
  func rows(_ sql: String) throws -> [String] {
    try store.read { database in
      try database.query(sql).map { $0.values.map(\.literal).joined(separator: ", ") }
    }
  }

  /// To be called by tests that change tables.
  func forgetHistory() { history = nil }

  private func remember(_ transaction: RecordedTransaction) {
    history?.append(
      ReferenceTransaction(
        stamp: Stamp(time: transaction.time, peer: PeerIdentity(high: 1, low: 2)),
        sequence: transaction.sequence, knowledge: transaction.knowledge,
        changes: transaction.changes))
  }

  /// The records, folded, must give what the tables hold.
  private func checkContents() throws {
    guard let history else { return }
    var contents = ReferenceContents()
    for (name, table) in zip(names, schema.tables) {
      let columns = table.columns.map(\.name)
      let list = columns.map(\.quotedIdentifier).joined(separator: ", ")
      try store.read { database in
        for row in try database.query("SELECT \(list) FROM main.\(name.quotedIdentifier)") {
          contents.insert(
            Dictionary(uniqueKeysWithValues: zip(columns, row.values)), into: table)
        }
      }
    }
    #expect(contents.difference(from: fold(history, schema: schema)) == [])
  }

  private static func line(_ change: ReferenceChange) -> String {
    let text = change.description
    let short = text.utf8.count > 300 ? "\(text.prefix(200))…" : text
    return short.last == " " ? String(short.dropLast()) : short
  }
}

extension ReferenceTable {
  init(_ table: TableDescription) {
    self.init(
      name: table.name, columns: table.shape.columns.map { ReferenceColumn($0) },
      keyColumns: table.shape.keys.map { key in
        ReferenceKeyColumn(
          table.shape.columns[key.column],
          collation: ReferenceCollation(rawValue: key.collation.sqlName) ?? .binary)
      })
  }
}

/// Lends a store with these tables.
func withStore(
  _ script: String, selection: TableSelection = .all, merge: MergeOptions = MergeOptions(),
  _ body: (Recorder) throws -> Void
) throws {
  try withTemporaryDirectory { directory in
    try body(Recorder(script, selection: selection, merge: merge, in: directory))
  }
}
