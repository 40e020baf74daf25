import Foundation
import Testing
import TributaryContainer
import TributaryCore
import TributaryFiles
import TributaryHorizon
import TributaryLog
import TributarySimulation
import TributaryStore
import TributarySync
import TributaryTesting

/// Two devices that agree on what may be forgotten, and a third one that they have left out.
struct ReturnFleet {
  let devices: SyncDevices
  let a, b, absent: SyncSession
  /// Whether the third one is lost when the others have agreed. One of them then issues again what it had published, and
  /// everybody else takes that for what it would have issued itself.
  var isLost = false

  /// Attaches the devices, which agree on nothing by themselves, and has all of them know what `setup` writes.
  init(
    in directory: String, _ script: String, merge: MergeOptions? = nil, setup: String = "",
    capture: CaptureMethod = .hook
  ) throws {
    devices = try SyncDevices(in: directory)
    a = try devices.open("a", script, merge: merge, capture: capture, horizons: .off)
    b = try devices.open("b", script, merge: merge, capture: capture, horizons: .off)
    absent = try devices.open("absent", script, merge: merge, capture: capture, horizons: .off)
    if !setup.isEmpty { try a.execute(setup) }
    try exchange(a, b, absent)
  }

  var directory: ContentDirectory {
    get throws { ContentDirectory(container: devices.container, name: try ContentName("C")) }
  }

  /// Has `a` and `b` agree to forget what they have. `a` writes the baseline; neither removes anything.
  @discardableResult
  func declare(weight: UInt64 = 2, members: [SyncSession]? = nil) throws -> Declaration {
    let members = members ?? [a, b]
    for session in members + members { try session.exchange() }
    let entries = try members[0].store.service { connection in
      var entries = try KnowledgeTable(connection).peers().map {
        BaselineHeader.Entry(peer: $0.peer, sequence: $0.sequence, time: $0.time)
      }
      if let last = try Outbox(connection).last() {
        entries.append(
          BaselineHeader.Entry(
            peer: members[0].store.peer, sequence: last.sequence, time: last.time))
      }
      return entries.sorted { $0.peer < $1.peer }
    }
    let declaration = Declaration(
      weight: weight, members: members.map(\.store.peer), entries: entries)
    try publish(declaration, entries, by: members[0])
    for session in members { try session.obey(declaration) }
    return declaration
  }

  private func publish(
    _ declaration: Declaration, _ entries: [BaselineHeader.Entry], by session: SyncSession
  ) throws {
    let image = devices.directory + "/image"
    try Data().write(to: URL(filePath: image))
    _ = try session.store.background {
      try BaselineImage.write(from: $0, to: image) { [:] }
    }
    let bytes = [UInt8](try Data(contentsOf: URL(filePath: image)))
    try FileManager.default.removeItem(atPath: image)
    var source = MemorySource(bytes)
    _ = try BaselineStore(directory, peer: session.store.peer, using: LocalFileSystem()).publish(
      BaselineHeader(
        peer: session.store.peer, databaseSize: UInt64(bytes.count), contentName: "C",
        entries: entries, declaration: declaration), &source, level: 0)
  }

  /// Does something while the carrier does not bring what the absent device has published.
  func withoutAbsent(_ body: () throws -> Void) throws {
    let (path, aside) = (try directory.peer(absent.store.peer), devices.directory + "/aside")
    try FileManager.default.moveItem(atPath: path, toPath: aside)
    try body()
    try FileManager.default.moveItem(atPath: aside, toPath: path)
  }

  /// Does something while the carrier brings nothing of the others.
  func withoutOthers(_ body: () throws -> Void) throws {
    let paths = try [a, b].map { try directory.peer($0.store.peer) }
    for path in paths { try FileManager.default.moveItem(atPath: path, toPath: aside(path)) }
    try body()
    for path in paths { try FileManager.default.moveItem(atPath: aside(path), toPath: path) }
  }

  private func aside(_ path: String) -> String {
    devices.directory + "/" + URL(filePath: path).lastPathComponent
  }

  /// Removes the segments of all devices but the absent one.
  func removeLogs(of sessions: [SyncSession]? = nil) throws {
    for session in sessions ?? [a, b] {
      let path = try directory.log(of: session.store.peer)
      for name in try FileManager.default.contentsOfDirectory(atPath: path) {
        try FileManager.default.removeItem(atPath: path + "/" + name)
      }
    }
  }

  /// Whoever is there.
  var present: [SyncSession] { isLost ? [a, b] : [absent, a, b] }

  /// Has the absent device come back, or another one retire it if it is lost, and expects that all devices show the same afterwards, which is what the logs
  /// say.
  @discardableResult
  func comeBack(
    verifies: Bool = true, sourceLocation: SourceLocation = #_sourceLocation
  ) throws -> ReturnReport {
    let report = try isLost ? retire() : absent.comeBack()
    #expect(report.failure == nil, sourceLocation: sourceLocation)
    let returned = try #require(report.returned, sourceLocation: sourceLocation)
    #expect(returned.retired == (isLost ? absent.store.peer : nil), sourceLocation: sourceLocation)
    try expectEqual(verifies: verifies, sourceLocation: sourceLocation)
    return returned
  }

  /// Has a device say that the absent one, which has published everything, is gone.
  func retire() throws -> SyncReport {
    _ = try absent.publish()
    for session in [a, b] {
      let outside = try session.synchronize().waiting.map(\.peer)
      #expect(outside.allSatisfy { $0 == absent.store.peer } && !outside.isEmpty)
    }
    return try a.retire(absent.store.peer.description).report
  }

  func expectEqual(
    verifies: Bool = true, sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    try isLost
      ? expectEqualAfterExchange(a, b, sourceLocation: sourceLocation)
      : expectEqualAfterExchange(absent, a, b, sourceLocation: sourceLocation)
    guard verifies else { return }
    for name in isLost ? ["a", "b"] : ["absent", "a", "b"] {
      let report = try Engine.verify(store: devices.path(name))
      #expect(report.differences.isEmpty, sourceLocation: sourceLocation)
      #expect(report.comparesConflicts, sourceLocation: sourceLocation)
    }
  }

  /// Expects rows of a query on all devices.
  func expect(
    _ sql: String, _ rows: [String], sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    for session in present {
      let shown = try session.rows(sql)
      #expect(shown == rows, sourceLocation: sourceLocation)
    }
  }

  /// Expects conflicts on all devices, each as its kind and what was lost.
  func expect(
    conflicts expected: [String], sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    for session in present {
      let conflicts = try session.conflicts().map { conflict in
        let lost = conflict.values.map { "\($0.column)=\($0.value.plain)" }
        return "\(conflict.kind.rawValue) \(conflict.table) \(lost.joined(separator: " "))"
      }.sorted()
      #expect(conflicts == expected, sourceLocation: sourceLocation)
    }
  }
}

extension SyncSession {
  /// Remembers that all members have promised a declaration, of which there is a whole baseline.
  func obey(_ declaration: Declaration) throws {
    try store.exchange { connection in
      try connection.immediate {
        try HorizonRecord(
          state: HorizonState(obeyed: declaration, promises: [], dropped: [])
        ).write(to: connection)
        try HorizonRecord.settle(declaration, in: connection)
      }
    }
  }
}

extension Value {
  fileprivate var plain: String {
    switch self {
    case .null: "null"
    case .integer(let integer): "\(integer)"
    case .real(let real): "\(real)"
    case .text(let text): String(decoding: text, as: UTF8.self)
    case .blob(let blob): "\(blob.count) bytes"
    }
  }
}
