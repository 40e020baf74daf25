import Foundation
import Testing
import TributaryContainer
import TributaryCore
import TributaryFiles
import TributarySync
import TributaryTesting

/// Two devices, `a` and `b`, that compact segments as soon as there are three; their clock stands
/// still until it is told otherwise.
struct CompactionFixture {
  let devices: SyncDevices
  let clock: AdjustableClock
  var environment: StoreEnvironment
  let a: SyncSession
  let b: SyncSession

  static let grace: Int64 = 1000

  init(in directory: String, using fileSystem: any FileSystem = LocalFileSystem()) throws {
    devices = try SyncDevices(in: directory)
    clock = AdjustableClock()
    environment = StoreEnvironment(fileSystem: fileSystem, clock: clock)
    environment.segments.fanIn = 3
    environment.segments.graceMilliseconds = Self.grace
    environment.segments.removalLimit = 2
    environment.segments.lookInterval = .milliseconds(100)
    try devices.attach("a", "CREATE TABLE t (id INTEGER PRIMARY KEY, v TEXT)")
    try devices.attach("b", "CREATE TABLE t (id INTEGER PRIMARY KEY, v TEXT)")
    a = try SyncSession(store: devices.path("a"), environment: environment)
    b = try SyncSession(store: devices.path("b"), environment: environment)
  }

  /// Has one device write rows, each published in a segment of its own.
  func write(_ ids: ClosedRange<Int>, on session: SyncSession) throws {
    for id in ids {
      try insert(id, on: session)
      try session.exchange()
    }
  }

  func insert(_ id: Int, on session: SyncSession) throws {
    clock.advance(by: 1)
    try session.store.write {
      try $0.execute("INSERT INTO t VALUES (?, ?)", id, String(repeating: "row \(id) ", count: 9))
    }
  }

  func directory(of session: SyncSession) throws -> ContentDirectory {
    try ContentDirectory(container: devices.container, name: ContentName("C"))
  }

  /// The segments of a device in the container, in order: their first and last transactions.
  func files(of session: SyncSession) throws -> [ClosedRange<UInt64>] {
    try names(of: session).compactMap { SegmentName($0) }.map {
      $0.first.rawValue...$0.last.rawValue
    }
  }

  func log(of session: SyncSession) throws -> String {
    try directory(of: session).log(of: session.store.peer)
  }

  func names(of session: SyncSession) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: log(of: session)).sorted()
  }

  func path(_ name: String, of session: SyncSession) throws -> String {
    try log(of: session) + "/" + name
  }

  func remove(_ name: String, of session: SyncSession) throws {
    try FileManager.default.removeItem(atPath: path(name, of: session))
  }

  func read(_ name: String, of session: SyncSession) throws -> Data {
    try Data(contentsOf: URL(filePath: path(name, of: session)))
  }

  func put(_ data: Data, _ name: String, of session: SyncSession) throws {
    try data.write(to: URL(filePath: path(name, of: session)))
  }

  /// Lets the time pass after which compacted segments are removed.
  func pass() { clock.advance(by: Self.grace) }

  /// All that `doctor` says of a device and of the container, but for notes.
  func findings() throws -> [String] {
    let findings =
      try Engine.diagnose(store: devices.path("a"), environment: environment)
      + Engine.diagnose(store: devices.path("b"), environment: environment)
      + Engine.diagnose(container: devices.container, environment: environment)
    return findings.filter { $0.severity != .note }.map { "\($0.code.rawValue): \($0.explanation)" }
  }
}

func withCompactionFixture(
  using fileSystem: any FileSystem = LocalFileSystem(), _ body: (CompactionFixture) throws -> Void
) throws {
  try withTemporaryDirectory { try body(CompactionFixture(in: $0, using: fileSystem)) }
}
