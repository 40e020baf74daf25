import Foundation
import Synchronization
import Testing
import TributaryContainer
import TributaryCore
import TributaryFiles
import TributaryHorizon
import TributaryLog
import TributaryStore
import TributarySync
import TributaryTesting

/// Devices that agree on what may be forgotten, with one clock, which only the test moves.
final class HorizonFleet {
  let devices: SyncDevices
  let clock = AdjustableClock()
  var policy = HorizonPolicy()
  let files = BaselineLooks()
  /// What the identities and transactions of all stores are drawn from; by default, the system.
  private var seeded: Seeded?

  private final class Seeded: Sendable {
    let generator: Mutex<SeededGenerator>

    init(_ seed: UInt64) { generator = Mutex(SeededGenerator(seed: seed)) }
  }

  /// What the programs of some devices say they read; those of all others read what this one does.
  var formats: [String: ReadableFormats] = [:]
  private(set) var sessions: [String: SyncSession] = [:]

  /// Whether each device has a container of its own, whose files a carrier brings to the others.
  let isCarried: Bool
  /// What makes the tables; empty for databases that have theirs, and for devices that get them from the others.
  private let schema: String
  private let merge: MergeOptions?

  static let schema = "CREATE TABLE t (id INTEGER PRIMARY KEY, v TEXT)"
  static let day: Int64 = 86_400_000

  init(
    in directory: String, _ names: String..., schema: String = HorizonFleet.schema,
    merge: MergeOptions? = nil, isCarried: Bool = false
  ) throws {
    devices = try SyncDevices(in: directory)
    self.schema = schema
    self.merge = merge
    self.isCarried = isCarried
    policy.isOn = true
    // Each day is an occasion.
    policy.fileCount = 1
    for name in names { try attach(name) }
  }

  var environment: StoreEnvironment {
    var environment = StoreEnvironment(fileSystem: files, clock: clock)
    environment.horizons = policy
    environment.stateDirectory = nil
    if let seeded {
      environment.makeIdentity = { seeded.generator.withLock { PeerIdentity.random(using: &$0) } }
      environment.randomness = { seeded.generator.withLock { $0.next() } }
    }
    return environment
  }

  private func environment(of name: String) -> StoreEnvironment {
    var environment = environment
    if let formats = formats[name] { environment.formats = formats }
    return environment
  }

  /// Makes everything that is drawn from now on follow from a seed.
  func seed(_ seed: UInt64) { seeded = Seeded(seed) }

  func container(of name: String) -> String {
    isCarried ? "\(devices.container)/\(name)" : devices.container
  }

  @discardableResult
  func attach(_ name: String, tables: TableSelection? = nil) throws -> AttachReport {
    var request = AttachRequest(
      store: devices.path(name), container: container(of: name), contentName: "C")
    request.tables = tables
    request.merge = merge
    try FileManager.default.createDirectory(
      atPath: container(of: name), withIntermediateDirectories: true)
    if !schema.isEmpty { request.migrations = [Migration(name: "1", sql: schema)] }
    request.peerName = name
    let report = try Engine.attach(request, environment: environment(of: name))
    try open(name)
    return report
  }

  /// Opens a store anew, as a process that starts does.
  func open(_ name: String) throws {
    sessions[name]?.store.close()
    sessions[name] = try SyncSession(store: devices.path(name), environment: environment(of: name))
  }

  /// Writes a backup over the store's file, which the store cannot see, and opens it.
  func restore(_ name: String, from backup: StoreBackup) throws {
    drop(name)
    try backup.restore().store.close()
    try open(name)
  }

  /// Is not used any more.
  func drop(_ name: String) {
    sessions.removeValue(forKey: name)?.store.close()
  }

  subscript(name: String) -> SyncSession {
    guard let session = sessions[name] else { preconditionFailure("no device \(name)") }
    return session
  }

  func write(_ sql: String, on name: String) throws {
    clock.advance(by: 1)
    try self[name].store.write { try $0.execute(sql) }
  }

  /// Has each synchronise in turn, as often as it takes.
  func meet(_ names: String..., rounds: Int = 2) throws {
    let names = names.isEmpty ? sessions.keys.sorted() : names
    for _ in 0..<rounds {
      for name in names {
        clock.advance(by: 1)
        try self[name].exchange()
      }
    }
  }

  func pass(days: Int64) { clock.advance(by: days * Self.day) }

  /// Lets all devices write a transaction in each of some rounds, and then another one a day later. In the end, all have
  /// forgotten what they wrote in the rounds.
  func settle(rounds: Int) throws {
    for round in 0..<rounds {
      for (number, name) in ["a", "b", "c"].enumerated() {
        try write("INSERT INTO t VALUES (\(round * 3 + number), '\(name)')", on: name)
      }
      try meet()
    }
    pass(days: 1)
    for name in ["a", "b", "c"] {
      try write("UPDATE t SET v = 'new' WHERE id = 0", on: name)
    }
    try meet(rounds: 5)
  }

  // MARK: Looking

  func record(_ name: String) throws -> HorizonRecord {
    try self[name].store.service { try HorizonRecord($0) }
  }

  func rows(_ name: String) throws -> [String] {
    try self[name].rows("SELECT id, v FROM t ORDER BY id")
  }

  func peer(_ name: String) -> PeerIdentity { self[name].store.peer }

  func directory(of name: String) throws -> ContentDirectory {
    let identity = try self[name].store.identity()
    return try ContentDirectory(
      container: identity.container, root: ContentRoot(identity.contentRoot),
      name: ContentName(identity.contentName))
  }

  /// The directory that all share.
  var directory: ContentDirectory {
    get throws { try directory(of: sessions.keys.sorted()[0]) }
  }

  func manifest(_ name: String) throws -> PeerManifest {
    try #require(
      try PeerManifest.read(of: peer(name), in: directory(of: name), using: LocalFileSystem()))
  }

  /// The declarations of the whole baselines in a device's directory.
  func baselines(_ name: String) throws -> [Declaration?] {
    let store = try BaselineStore(directory(of: name), peer: peer(name), using: LocalFileSystem())
    return try store.names().map { try store.read($0).declaration }
  }

  /// The segments in a device's directory, each as the range of its transactions.
  func segments(_ name: String) throws -> [String] {
    let scanner = try ContainerScanner(directory(of: name), using: LocalFileSystem())
    return scanner.scan(peer(name)).segments.map { "\($0.name.first)-\($0.name.last)" }
  }

  /// The numbers of the records that a device still has.
  func records(_ name: String) throws -> [Int64] {
    try self[name].store.service { connection in
      let statement = try connection.prepare(
        "SELECT sequence FROM tributary_outbox ORDER BY sequence")
      var numbers: [Int64] = []
      while try statement.step() { numbers.append(statement.integer(0)) }
      return numbers
    }
  }

  /// The size of all files in the container.
  func containerByteCount() throws -> Int {
    let files = FileManager.default.enumerator(atPath: devices.container)?.allObjects ?? []
    return try files.reduce(0) { sum, file in
      let path = "\(devices.container)/\(file)"
      let attributes = try FileManager.default.attributesOfItem(atPath: path)
      return sum
        + (attributes[.type] as? FileAttributeType == .typeRegular
          ? attributes[.size] as? Int ?? 0 : 0)
    }
  }

  /// Checks that all devices show the same, have no delays, and bear an examination.
  func expectEqual(sourceLocation: SourceLocation = #_sourceLocation) throws {
    let names = sessions.keys.sorted()
    let digests = try Set(names.map { try self[$0].store.digest().total })
    #expect(digests.count == 1, sourceLocation: sourceLocation)
    for name in names {
      let findings = try self[name].diagnose()
      #expect(findings.filter { $0.severity != .note } == [], sourceLocation: sourceLocation)
    }
  }
}

func withHorizonFleet(_ body: (HorizonFleet) throws -> Void) throws {
  try withTemporaryDirectory { try body(HorizonFleet(in: $0, "a", "b", "c")) }
}
