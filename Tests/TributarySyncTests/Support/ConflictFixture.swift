import Foundation
import Testing
import TributaryCore
import TributarySQLite
import TributarySimulation
import TributaryStore
import TributarySync
import TributaryTesting

/// Two devices, or more, with one container. Conflicts can be put into their bookkeeping by hand.
final class ConflictFixture {
  let directory: String
  let clock = AdjustableClock()
  let names: [String]
  private var sessions: [String: SyncSession] = [:]

  init(
    _ tables: String, names: [String] = ["a", "b"], merge: MergeOptions = MergeOptions(),
    in directory: String
  ) throws {
    self.directory = directory
    self.names = names
    try FileManager.default.createDirectory(
      atPath: directory + "/shared", withIntermediateDirectories: true)
    for (number, name) in names.enumerated() {
      var request = AttachRequest(
        store: path(name), container: directory + "/shared", contentName: "N")
      request.migrations = [Migration(name: "1", sql: tables)]
      request.peerName = "device \(name)"
      request.merge = merge
      let peer = PeerIdentity(high: UInt64(number) + 1, low: 0)
      let environment = StoreEnvironment(clock: clock, makeIdentity: { peer })
      _ = try Engine.attach(request, environment: environment)
      sessions[name] = try SyncSession(store: path(name), environment: environment)
    }
  }

  func path(_ name: String) -> String { "\(directory)/\(name).db" }

  func session(_ name: String) throws -> SyncSession { try #require(sessions[name]) }

  /// Runs a script in one transaction, a second after the last one.
  func write(_ name: String, _ sql: String) throws {
    clock.advance(by: 1000)
    try session(name).store.write { try $0.execute(sql) }
  }

  /// Synchronises all until they know everything.
  func exchange() throws {
    for name in names + names {
      let report = try session(name).synchronize()
      #expect(report.failure == nil && report.waiting.isEmpty)
    }
  }

  /// The one conflict of a store.
  func conflict(_ name: String) throws -> Conflict {
    let conflicts = try session(name).conflicts()
    #expect(conflicts.count == 1)
    return try #require(conflicts.first)
  }

  /// Puts a conflict into a store; the last transactions of `a` and `b` are its loser and winner
  /// unless other sequences are given.
  func put(
    _ conflict: Conflict.Kind, table: String, key: [Value], held: Bool = false,
    _ values: KeyValuePairs<String, Value>, id: String = "00000000000000aa", into name: String,
    loser: UInt64? = nil
  ) throws -> Conflict {
    func side(_ name: String, _ sequence: UInt64?) throws -> Conflict.Side {
      try session(name).store.service { connection in
        let outbox = Outbox(connection)
        let last = try outbox.last()?.sequence ?? .zero
        let record = try outbox.records(
          from: sequence.map { SequenceNumber($0) } ?? last,
          to: sequence.map { SequenceNumber($0) } ?? last
        ).first
        return Conflict.Side(
          peer: try Settings(connection).identity().peer,
          sequence: try #require(record?.sequence), time: try #require(record?.time))
      }
    }
    let conflict = Conflict(
      id: id, table: table, key: key, kind: conflict, isHeld: held,
      values: values.map { Conflict.Cell(column: $0.key, value: $0.value) },
      winner: try side("b", nil), loser: try side("a", loser))
    try put(conflict, into: name)
    return conflict
  }

  /// Puts a conflict into a store, which then has looked at all its own writes.
  func put(_ conflict: Conflict, into name: String) throws {
    try session(name).store.service { connection in
      let table = try ReplicatedSchema(connection, selection: .all).table(named: conflict.table)
      let row = try #require(table).identity(key: conflict.key, number: 0).key
      try ConflictTable(connection).put(conflict, row: row)
      let last = try Outbox(connection).last()?.sequence ?? .zero
      try Settings(connection).set(.examined, .integer(Int64(last.rawValue)))
    }
  }

  /// Has a transaction of a store say on which version it is based: sequences by device.
  func setBasis(of sequence: Int64, _ name: String, _ basis: [String: UInt64]) throws {
    var bytes: [UInt8] = []
    for (device, sequence) in basis {
      bytes += try session(device).store.identity().peer.bytes
      bytes += withUnsafeBytes(of: sequence.bigEndian) { Array($0) }
    }
    try session(name).store.service { connection in
      try connection.cached("UPDATE tributary_outbox SET basis = ? WHERE sequence = ?")
        .run(.blob(bytes), .integer(sequence))
    }
  }

  /// The changes of the last record of a store, a line each.
  func record(_ name: String) throws -> [String] {
    try session(name).store.service { connection in
      let last = try Outbox(connection).last()?.sequence ?? .zero
      return try #require(try RecordedTransaction(last, from: connection)).changes
        .map { String(describing: $0).trimmingCharacters(in: .whitespaces) }.sorted()
    }
  }

  func sequence(_ name: String) throws -> UInt64 {
    try session(name).store.service { try Outbox($0).last()?.sequence.rawValue ?? 0 }
  }

  func rows(_ name: String, _ sql: String) throws -> [[Value]] {
    try session(name).store.read { try $0.query(sql).map(\.values) }
  }

  /// Settles, and expects that it ends the conflict in the store's bookkeeping with one record.
  func expect(
    _ name: String, _ conflict: Conflict, _ resolution: Resolution, _ changes: [String],
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let session = try session(name)
    let before = try sequence(name)
    #expect(try session.resolve(conflict.id, resolution), sourceLocation: sourceLocation)
    #expect(try sequence(name) == before + 1, sourceLocation: sourceLocation)
    #expect(try record(name) == changes, sourceLocation: sourceLocation)
    try expectEnded(name, conflict, sourceLocation: sourceLocation)
    // Again, it does nothing.
    #expect(try !session.resolve(conflict.id, resolution), sourceLocation: sourceLocation)
    #expect(try sequence(name) == before + 1, sourceLocation: sourceLocation)
  }

  func expectEnded(
    _ name: String, _ conflict: Conflict, sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let session = try session(name)
    #expect(try session.conflicts() == [], sourceLocation: sourceLocation)
    var ended = conflict
    ended.ended = clock.now
    #expect(try session.conflicts(ended: true) == [ended], sourceLocation: sourceLocation)
  }

  /// Expects that restoring is refused with these words, and nothing is changed.
  func expectRefusal(
    _ name: String, _ conflict: Conflict, _ words: String...,
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let session = try session(name)
    let before = try sequence(name)
    let digest = try session.store.digest().total
    do {
      try session.resolve(conflict.id, .restore)
      Issue.record("it is restored", sourceLocation: sourceLocation)
    } catch let error as SyncError {
      #expect(error.code == .unrestorable, sourceLocation: sourceLocation)
      for word in words {
        #expect(error.message.contains(word), "\(error)", sourceLocation: sourceLocation)
      }
    }
    #expect(try sequence(name) == before, sourceLocation: sourceLocation)
    #expect(try session.store.digest().total == digest, sourceLocation: sourceLocation)
    #expect(try session.conflicts().contains(conflict), sourceLocation: sourceLocation)
  }
}

/// Lends the body two devices, or more, with these tables.
func withConflicts(
  _ tables: String, names: [String] = ["a", "b"], merge: MergeOptions = MergeOptions(),
  _ body: (ConflictFixture) throws -> Void
) throws {
  try withTemporaryDirectory {
    try body(ConflictFixture(tables, names: names, merge: merge, in: $0))
  }
}
