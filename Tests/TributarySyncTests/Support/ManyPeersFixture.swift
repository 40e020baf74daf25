import Foundation
import Synchronization
import Testing
import TributaryContainer
import TributaryCore
import TributaryFiles
import TributarySQLite
import TributaryStore
import TributarySync
import TributaryTesting

/// A device that has many peers. Each of its sessions leaves notes and a mark for the next one.
struct ManyPeersFixture {
  /// Whose turn it is to be looked at.
  final class Turn: Sendable {
    /// Begins where no whole look is due.
    let number = Atomic<UInt64>(8)
  }

  let devices: SyncDevices
  let files = StampedFileSystem()
  let clock = AdjustableClock()
  let turn = Turn()
  let other: SyncSession

  /// - Parameter areSpeaking: whether each peer has a `peer.json`.
  init(in directory: String, count: Int = 32, areSpeaking: Bool = false) throws {
    devices = try SyncDevices(in: directory)
    other = try devices.open("other", "CREATE TABLE t (id INTEGER PRIMARY KEY, v TEXT)")
    try devices.attach("own")
    for number in 2..<count {
      let peer = PeerIdentity(high: UInt64(number), low: 1)
      try FileManager.default.createDirectory(
        atPath: devices.container + "/tributary/C/peers/\(peer)/log",
        withIntermediateDirectories: true)
      if areSpeaking { try publish(peer, "name \(number)") }
    }
    // What each has to say is said, and the work of the day is done.
    for _ in 0..<3 {
      try other.exchange()
      try report { _ in }
    }
  }

  /// Writes the `peer.json` of a peer that has neither written nor imported anything.
  func publish(_ peer: PeerIdentity, _ name: String) throws {
    let manifest = PeerManifest(
      peer: peer, name: name, content: try directory.name, sequence: .zero, receipt: Knowledge(),
      schema: ManifestSchema(id: "", tables: [], sql: [], migrations: []))
    try manifest.publish(in: directory, using: LocalFileSystem())
  }

  var directory: ContentDirectory {
    get throws { ContentDirectory(container: devices.container, name: try ContentName("C")) }
  }

  func session() throws -> SyncSession {
    var environment = StoreEnvironment(fileSystem: files, containerLimit: nil)
    environment.clock = clock
    environment.randomness = { [turn] in turn.number.load(ordering: .relaxed) }
    return try SyncSession(store: devices.path("own"), environment: environment)
  }

  /// Synchronises in a new session.
  func report(_ body: (SyncReport) throws -> Void) throws {
    try body(session().synchronize())
  }

  /// Whether a new session finds by the mark alone that there is nothing to do.
  func isQuiet() throws -> Bool {
    let session = try session()
    _ = files.takeUses()
    let report = try session.synchronize()
    #expect(report.failure == nil)
    return files.takeUses() == ["list peers", "list baseline"]
  }

  /// Expects that a new session looks for itself, and that a mark serves again after it.
  func expectNoticed(sourceLocation: SourceLocation = #_sourceLocation) throws {
    #expect(try !isQuiet(), sourceLocation: sourceLocation)
    for _ in 0..<2 { try report { _ in } }
    #expect(try isQuiet(), sourceLocation: sourceLocation)
  }
}
