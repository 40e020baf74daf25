import Foundation
import Testing
import TributaryCore
import TributarySQLite
import TributaryStore
import TributarySync
import TributaryTesting

/// Stores beside one container, each synchronised only when told.
struct SyncDevices {
  let directory: String
  let container: String

  init(in directory: String, container name: String = "shared") throws {
    self.directory = directory
    container = "\(directory)/\(name)"
    try FileManager.default.createDirectory(
      atPath: container, withIntermediateDirectories: true)
  }

  func path(_ name: String) -> String { "\(directory)/\(name).db" }

  /// Attaches a store, with the tables of a script where there are none yet.
  @discardableResult
  func attach(
    _ name: String, _ script: String? = nil, tables: TableSelection? = nil,
    merge: MergeOptions? = nil, capture: CaptureMethod? = nil
  ) throws -> AttachReport {
    var request = AttachRequest(store: path(name), container: container, contentName: "C")
    if let script { request.migrations = [Migration(name: "1", sql: script)] }
    request.tables = tables
    request.merge = merge
    request.capture = capture
    return try Engine.attach(request)
  }

  func open(
    _ name: String, _ script: String? = nil, tables: TableSelection? = nil,
    merge: MergeOptions? = nil, capture: CaptureMethod? = nil,
    horizons: HorizonPolicy = HorizonPolicy()
  ) throws -> SyncSession {
    try attach(name, script, tables: tables, merge: merge, capture: capture)
    var environment = StoreEnvironment()
    environment.horizons = horizons
    return try SyncSession(store: path(name), environment: environment)
  }

  /// Runs `body` with a connection to a store whose commits are known as the store's own.
  func withOwnConnection(to name: String, _ body: (Connection) throws -> Void) throws {
    let connection = try Connection(path: path(name), mode: .readWrite)
    connection.keepWriteAheadLog()
    defer { connection.close() }
    try ForeignCapture.follow(connection) { try body(connection) }
  }
}

extension SyncSession {
  /// Writes in one transaction, later than everything before by the clock too.
  func execute(_ sql: String) throws {
    awaitClockTick()
    try store.write { try $0.execute(sql) }
  }

  /// Rows as text, values separated by bars.
  func rows(_ sql: String) throws -> [String] {
    try store.read { database in
      try database.query(sql).map { $0.values.map(\.text).joined(separator: "|") }
    }
  }

  /// Synchronises and expects that nothing is amiss.
  func exchange(sourceLocation: SourceLocation = #_sourceLocation) throws {
    let report = try synchronize()
    #expect(report.failure == nil, sourceLocation: sourceLocation)
    #expect(report.waiting == [], sourceLocation: sourceLocation)
    #expect(report.damaged.isEmpty, sourceLocation: sourceLocation)
  }
}

/// Synchronises each, in turn, as often as it takes for all to know everything.
func exchange(_ sessions: SyncSession...) throws {
  for _ in 0..<2 { for session in sessions { try session.exchange() } }
}

extension Value {
  fileprivate var text: String {
    switch self {
    case .null: "null"
    case .integer(let integer): "\(integer)"
    case .real(let real): "\(real)"
    case .text(let text): String(decoding: text, as: UTF8.self)
    case .blob(let blob): "\(blob)"
    }
  }
}

extension SyncDevices {
  /// The files that are there, stores and container, by their paths.
  func present() throws -> [String] {
    let names = FileManager.default.enumerator(atPath: directory)?.compactMap { $0 as? String }
    return (names ?? []).filter { !$0.hasSuffix("-shm") && !$0.hasSuffix("-wal") }.sorted()
  }
}

/// Exchanges everything, and expects the same rows and conflicts on all.
func expectEqualAfterExchange(
  _ sessions: SyncSession..., sourceLocation: SourceLocation = #_sourceLocation
) throws {
  for _ in 0..<2 {
    for session in sessions { try session.exchange(sourceLocation: sourceLocation) }
  }
  let digests = try Set(sessions.map { try $0.store.digest().total })
  #expect(digests.count == 1, sourceLocation: sourceLocation)
  let conflicts = try Set(sessions.map { try $0.conflicts().map(\.id) })
  #expect(conflicts.count == 1, sourceLocation: sourceLocation)
}
