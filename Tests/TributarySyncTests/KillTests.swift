import Foundation
import Testing
import TributaryContainer
import TributaryCore
import TributaryFiles
import TributarySimulation
import TributaryStore
import TributarySync
import TributaryTesting

/// Processes that are killed at any moment, while they attach, write, publish, import, and take what others have added to
/// the schema.
struct KillTests {
  /// In one run, over all devices; more with `tools/soak`.
  static let kills = 200

  @Test func `what was reported as committed is on every device, whatever was killed`() throws {
    let rounds = UInt64(Self.kills / 100)
    for seeds in Soak.seeds(part: 0, otherwise: rounds) {
      try withSeeds(seeds, filter: "KillTests") { random in
        try withTemporaryDirectory { directory in
          var ground = try KillingGround(in: directory, random)
          try ground.run(kills: 100)
          try ground.checkEverything()
        }
      }
    }
  }
}

extension KillTests {
  @Test func `so it is when three processes share each store, whichever is killed`() throws {
    for seeds in Soak.seeds(part: 1, otherwise: 1) {
      try withSeeds(seeds, filter: "KillTests") { random in
        try withTemporaryDirectory { directory in
          var ground = try KillingGround(in: directory, random, sharing: 3)
          try ground.run(kills: 100)
          try ground.checkEverything()
        }
      }
    }
  }
}

/// Three devices with one container between them, and whoever kills them.
struct KillingGround {
  private let directory: String
  private let container: String
  private var random: SeededGenerator
  /// How many processes work on each store.
  private let sharing: Int
  private var running: [DoomedProcess?]
  private var reported: Set<String> = []
  private var verified: Set<String> = []
  /// How many times as long a process lives as on an idle machine.
  private var patience = 1

  private static let stores = 3
  private static let fewestWrites = 100

  init(in directory: String, _ random: SeededGenerator, sharing: Int = 1) throws {
    self.sharing = sharing
    running = Array(repeating: nil, count: Self.stores * sharing)
    self.directory = directory
    self.random = random
    container = "\(directory)/container"
    try FileManager.default.createDirectory(
      atPath: container, withIntermediateDirectories: false)
  }

  /// The store of a process.
  private func store(_ device: Int) -> String { "\(directory)/store\(device / sharing).db" }

  /// One process of each store.
  private var devices: [Int] { (0..<Self.stores).map { $0 * sharing } }

  // MARK: Killing

  /// - Parameter kills: the least; on a busy machine, processes live longer after as many, until they have come to write.
  mutating func run(kills: Int) throws {
    var count = 0
    while count < kills || reported.count <= Self.fewestWrites {
      if count > 0, count.isMultiple(of: kills) { patience *= 4 }
      count += 1
      for device in running.indices where running[device] == nil { try start(device) }
      let next = running.indices.min { running[$0]!.end < running[$1]!.end }!
      running[next]!.waitForEnd()
      try kill(next)
      try checkContainer()
      if sharing == 1, random.once(in: 25) { try lose(next) }
    }
    for device in running.indices where running[device] != nil { try kill(device) }
  }

  private mutating func start(_ device: Int) throws {
    // Often during the first steps, sometimes in the middle of work.
    let milliseconds = random.once(in: 3) ? random.number(0...30) : random.number(20...300)
    running[device] = try DoomedProcess(
      arguments: [store(device), container, "d\(device)", String(random.next())],
      milliseconds: milliseconds * patience)
  }

  private mutating func kill(_ device: Int) throws {
    let remains = try running[device]!.kill()
    running[device] = nil
    // Where several share a store one of them may have waited for the others in vain.
    #expect(
      remains.wasRunning && remains.complaint.isEmpty
        || sharing > 1 && Contention.isAll(of: remains.complaint),
      "device \(device) ended by itself: \(remains.complaint); \(random)")
    for line in remains.lines { reported.insert(String(line.dropFirst(2))) }
  }

  /// A store is lost after all of it was published, and will be rebuilt by a process that may be
  /// killed.
  private mutating func lose(_ device: Int) throws {
    guard (try? LocalStore.isAttached(at: store(device))) == true else { return }
    try synchronize(device)
    for suffix in ["", "-wal", "-shm"] {
      // Closed, it has no more than the first of them.
      try? FileManager.default.removeItem(atPath: store(device) + suffix)
    }
  }

  private func synchronize(_ device: Int) throws {
    let report = try SyncSession(store: store(device)).synchronize()
    if let failure = report.failure { throw failure }
    try #require(report.damaged.isEmpty, "\(report.damaged.map(\.reason))")
  }

  // MARK: Checking

  private var peers: ContentDirectory {
    get throws { ContentDirectory(container: container, name: try ContentName("Crash")) }
  }

  /// Whatever has its final name is whole.
  private mutating func checkContainer() throws {
    let fileSystem = LocalFileSystem()
    guard try fileSystem.status(peers.peers) != nil else { return }
    for peer in try ContainerScanner(peers, using: fileSystem).scan().peers {
      if peer.hasManifest {
        _ = try PeerManifest.read(of: peer.peer, in: peers, using: fileSystem)
      }
      let segments = try SegmentStore(peers, peer: peer.peer, using: fileSystem)
      for file in peer.segments where verified.insert(file.path).inserted {
        do { try segments.verify(file.name) } catch {
          // Merged with others and removed since.
          guard error.code == .missingFile else { throw error }
        }
      }
    }
  }

  func checkEverything() throws {
    for device in devices {
      var request = AttachRequest(
        store: store(device), container: container, contentName: "Crash")
      request.migrations = [
        Migration(name: "1", sql: try schema())
      ]
      request.followsSchema = true
      _ = try Engine.attach(request)
    }
    for _ in 0..<2 { for device in devices { try synchronize(device) } }
    var digests: Set<String> = []
    var additions = 0
    for device in devices {
      let session = try SyncSession(store: store(device))
      let report = try session.synchronize()
      try #require(report.isEmpty, "\(report)")
      let keys = try session.store.read { database in
        try database.query("SELECT k FROM writes").compactMap { $0.string("k") }
      }
      additions += try session.rows("SELECT name FROM sqlite_schema WHERE name GLOB 'more*'").count
      let missing = reported.subtracting(keys)
      try #require(missing.isEmpty, "device \(device) lacks \(missing.sorted())")
      digests.insert(try session.store.digest().total)
      let verification = try Engine.verify(store: store(device))
      try #require(verification.differenceCount == 0, "\(verification.differences)")
      let integrity = try session.store.read { try $0.query("PRAGMA integrity_check") }
      try #require(integrity.map(\.values) == [["ok"]])
    }
    try #require(digests.count == 1)
    try #require(additions > 0, "no device has added a table")
    try #require(reported.count > Self.fewestWrites, "the processes came to write")
  }

  /// As the processes have it, for a device that never came to attach.
  private func schema() throws -> String {
    """
    CREATE TABLE writes (k TEXT PRIMARY KEY, filler BLOB);
    CREATE TABLE shared (k INTEGER PRIMARY KEY, device TEXT, number INTEGER);
    CREATE INDEX by_number ON shared (number);
    """
  }
}
