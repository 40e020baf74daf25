import Foundation
import TributaryCore
import TributarySQLite
import TributarySimulation
import TributaryStore
import TributarySync
import TributaryTesting

/// The way of one schema through the whole product, with random values. A plain database takes the same writes
/// and says what is right.
final class FormRun {
  let stores: StoreFixture
  let schema: FormSchema
  var random: SeededGenerator
  private var twin: Connection
  private var hasTwin = true
  var sessions: [String: SyncSession] = [:]
  private(set) var tally: FormTally
  /// What was written, by which store.
  private(set) var writes: [String] = []

  init(in directory: String, _ random: SeededGenerator) throws {
    stores = StoreFixture(directory: directory)
    var random = random
    schema = FormSchema(using: &random)
    self.random = random
    tally = FormTally(schemas: 1, tables: schema.tables.count)
    twin = try Connection(path: directory + "/twin.db", mode: .create)
    try FileManager.default.createDirectory(
      atPath: stores.container, withIntermediateDirectories: true)
  }

  // MARK: Devices

  /// Makes the first store, of a database that is there or by a migration.
  ///
  /// - Returns: the refusal, which names a table and has a remedy; `nil` if it was attached.
  func attachFirst() throws -> String? {
    var request = AttachRequest(
      store: stores.path("a"), container: stores.container, contentName: "C")
    request.capture = random.pick([.hook, .triggers])
    let script = schema.createStatements.joined(separator: ";\n")
    try twin.execute(script)
    // Triggers of one event fire in an order that depends on how the schema was read.
    try reopenTwin()
    if random.once(in: 2) {
      for _ in 0..<random.number(0...3) {
        let contents = try FormContents(twin, schema)
        try ScriptedWrite(
          FormWrites(schema, contents, allowingNullKeys: false).next(using: &random)
        ).run(on: twin)
      }
      try twin.execute("VACUUM INTO \(stores.path("a").quotedLiteral)")
    } else {
      request.migrations = [Migration(name: "1", sql: script)]
    }
    do {
      _ = try Engine.attach(request)
    } catch let error as AttachError {
      for refusal in error.refusals { try demandNamed("\(refusal)", refusal.remedy) }
      tally.refused = 1
      return "\(error)"
    } catch let error as StoreError {
      try demandNamed("\(error)", error.remedy)
      tally.refused = 1
      return "\(error)"
    }
    sessions["a"] = try SyncSession(store: stores.path("a"))
    return nil
  }

  private func demandNamed(_ refusal: String, _ remedy: String) throws {
    try demand(
      !remedy.isEmpty && schema.tables.contains { refusal.contains("table \($0.name)") },
      "a refusal without a name or a remedy: \(refusal)")
  }

  func attach(_ name: String) throws -> AttachReport {
    var request = AttachRequest(
      store: stores.path(name), container: stores.container, contentName: "C")
    request.capture = random.pick([.hook, .triggers])
    let report = try Engine.attach(request)
    sessions[name] = try SyncSession(store: stores.path(name))
    return report
  }

  func session(_ name: String) throws -> SyncSession {
    guard let session = sessions[name] else { throw HarnessFailure("no store \(name)") }
    return session
  }

  func contents(_ name: String) throws -> FormContents {
    try FormContents(of: stores.path(name), schema)
  }

  func exchange(_ names: String...) throws {
    for _ in 0..<2 {
      for name in names {
        let report = try session(name).synchronize()
        try demand(
          report.failure == nil && report.waiting.isEmpty && report.damaged.isEmpty
            && report.uncaptured == nil, "\(name): \(report)")
      }
    }
  }

  func demandEqual(_ name: String, _ other: String, _ occasion: String) throws {
    let (mine, theirs) = try (contents(name), contents(other))
    let difference = mine.difference(from: theirs)
    try demand(difference.isEmpty, "\(occasion): \(difference.joined(separator: "\n"))")
    let digests = try (session(name).store.digest().total, session(other).store.digest().total)
    try demand(digests.0 == digests.1, "\(occasion): the digests differ")
    tally.rows += mine.rowCount
    tally.values += mine.valueCount
  }

  func verify(_ name: String) throws {
    let report = try Engine.verify(store: stores.path(name))
    try demand(report.differenceCount == 0, "verify \(name): \(report.differences)")
  }

  // MARK: Writes

  /// Writes one transaction, which must be recorded once and as what it is.
  ///
  /// - Parameter isAlone: whether no other store writes at the same time, so that the twin takes the same.
  func write(_ name: String, alone isAlone: Bool = true) throws {
    let before = try contents(name)
    let last = try lastSequence(name)
    try continueNumbering(like: name)
    let way = random.pick(FormWriter.allCases)
    let write = FormWrites(schema, before, allowingNullKeys: way != .other).next(using: &random)
    let text = "by \(way)\n\(write)"
    writes.append("\(name) \(text)")
    do {
      let isCommitted = try way.run(write, on: session(name))
      let after = try contents(name)
      // Where rows are held, a write may take over the number of one.
      if isAlone { try demandRecorded(name, before, after, last) }
      try demand(isCommitted || after.difference(from: before).isEmpty, "it was not committed")
      guard isAlone else { return }
      try demandParents(name)
      try compareWithTwin(after, isCommitted ? ScriptedWrite(write, isWhole: way == .command) : nil)
    } catch {
      throw HarnessFailure("\(error)\n\(text)")
    }
    tally.writes += 1
  }

  /// SQLite counts violations, sometimes wrongly: what it lets pass must be refused before the commit, or held.
  private func demandParents(_ name: String) throws {
    try session(name).store.service { connection in
      let statement = try connection.prepare("PRAGMA foreign_key_check")
      try demand(try !statement.step(), "a row without its parent")
    }
  }

  /// Has the twin take a write, and compares.
  ///
  /// - Parameter write: `nil` if it was refused.
  private func compareWithTwin(_ after: FormContents, _ write: ScriptedWrite?) throws {
    guard hasTwin else { return }
    let isCommitted = try write?.run(on: twin) ?? true
    let difference = try after.difference(from: FormContents(twin, schema), keepingTime: false)
    if isCommitted, difference.isEmpty { return }
    // When SQLite 3.40 looks at the types of STRICT columns, and whether it takes back what the statement has done
    // before, depends on whether the table has triggers.
    try demand(
      schema.hasStrictTable || schema.hasTriggers,
      "unlike the twin: \(difference.joined(separator: "\n"))")
    hasTwin = false
  }

  /// Has the twin give the next numbers of AUTOINCREMENT as a store does: an update that changes a number does not count
  /// as giving it, but on other devices it arrives as an insert, which does.
  private func continueNumbering(like name: String) throws {
    guard hasTwin,
      try twin.integer("SELECT 1 FROM sqlite_schema WHERE name = 'sqlite_sequence'") != nil
    else { return }
    try twin.execute("DELETE FROM sqlite_sequence")
    let given = try session(name).store.service { connection in
      let statement = try connection.prepare("SELECT name, seq FROM sqlite_sequence")
      var given: [(String, Int64)] = []
      while try statement.step() { given.append((statement.string(0), statement.integer(1))) }
      return given
    }
    for (table, number) in given {
      try twin.prepare("INSERT INTO sqlite_sequence (name, seq) VALUES (?, ?)")
        .run(.string(table), .integer(number))
    }
  }

  private func reopenTwin() throws {
    let path = twin.path
    twin.close()
    twin = try Connection(path: path, mode: .readWrite)
    try twin.execute("PRAGMA foreign_keys = ON")
  }

  private func lastSequence(_ name: String) throws -> SequenceNumber {
    try session(name).store.service { try Outbox($0).last()?.sequence ?? .zero }
  }

  private func demandRecorded(
    _ name: String, _ before: FormContents, _ after: FormContents, _ last: SequenceNumber
  ) throws {
    let isChanged = !after.difference(from: before).isEmpty
    let now = try lastSequence(name)
    // What no trigger captures is found by a comparison, and is a transaction of its own.
    let most: UInt64 = schema.tables.contains { ["new", "old"].contains($0.name) } ? 2 : 1
    let count = now.rawValue - last.rawValue
    try demand(
      isChanged ? (1...most).contains(count) : count == 0, "recorded \(last) to \(now)")
    guard isChanged, schema.hasDistinctNames else { return }
    var expected = before
    for number in last.rawValue + 1...now.rawValue {
      guard
        let record = try session(name).store.service({
          try RecordedTransaction(SequenceNumber(number), from: $0)
        })
      else { throw HarnessFailure("no record") }
      try expected.apply(record.changes)
    }
    let difference = expected.difference(from: after, generated: false)
    try demand(difference.isEmpty, "recorded otherwise: \(difference.joined(separator: "\n"))")
  }
}
