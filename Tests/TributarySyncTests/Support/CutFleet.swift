import Foundation
import Testing
import TributaryCore
import TributaryFiles
import TributarySQLite
import TributarySimulation
import TributaryStore
import TributarySync
import TributaryTesting

/// A store and its container on one disk whose power will be cut, and another device.
struct CutFleet {
  let recorder: DiskRecorder
  private let directory: String
  private let world: String
  private var environment: StoreEnvironment
  private let log = Log()

  /// What was done when.
  private final class Log {
    /// How far the disk was when so many rows of the store had been published.
    var published: [(operations: Int, rows: Int)] = [(0, 0)]
    var rows = 0
  }

  init(in directory: String, ignoringSynchronization: Bool = false) throws {
    self.directory = directory
    world = directory + "/world"
    try FileManager.default.createDirectory(
      atPath: world + "/shared", withIntermediateDirectories: true)
    for path in [world + "/a.db", directory + "/b.db"] {
      try Self.attach(path, world)
      // Its log is in the file, so that the recording begins with all that there is.
      try Connection(path: path, mode: .readWrite).execute("PRAGMA wal_checkpoint(TRUNCATE)")
    }
    recorder = try DiskRecorder(below: world)
    environment = StoreEnvironment(
      fileSystem: RecordingFileSystem(recorder, ignoresFiles: ignoringSynchronization))
    environment.stateDirectory = world + "/state"
  }

  private static func attach(_ path: String, _ world: String) throws {
    var request = AttachRequest(store: path, container: world + "/shared", contentName: "C")
    request.migrations = [
      Migration(name: "1", sql: "CREATE TABLE t (n INTEGER PRIMARY KEY, v BLOB)")
    ]
    _ = try Engine.attach(request)
  }

  /// Writes, publishes and imports for a while.
  func live(using random: inout SeededGenerator) throws {
    let a = try SyncSession(store: world + "/a.db", environment: environment)
    let b = try SyncSession(store: directory + "/b.db", environment: environment)
    var others = 0
    for _ in 0..<Int.random(in: 5...25, using: &random) {
      switch Int.random(in: 0..<10, using: &random) {
      case 0..<5:
        log.rows += 1
        try a.execute(
          "INSERT INTO t VALUES (\(log.rows), zeroblob(\([10, 600, 9000].randomElement(using: &random)!)))"
        )
      case 5:
        others += 1
        try b.execute("INSERT INTO t VALUES (\(-others), zeroblob(100))")
        try b.exchange()
      case 6: try a.store.service { try $0.execute("PRAGMA wal_checkpoint(PASSIVE)") }
      default:
        let rows = log.rows
        try a.exchange()
        log.published.append((recorder.count, rows))
      }
    }
  }

  /// Rebuilds the store.
  ///
  /// - Returns: the moments of that.
  func rebuild() throws -> ClosedRange<Int> {
    let start = recorder.count
    _ = try Engine.rebuild(store: world + "/a.db", environment: environment)
    return start...recorder.count
  }

  /// Cuts the power at a moment of that, and starts the devices again.
  func cutAndCheck(using random: inout SeededGenerator) throws {
    try cutAndCheck(at: Int.random(in: 0...recorder.count, using: &random), using: &random)
  }

  /// Cuts the power at a moment, and starts the devices again.
  func cutAndCheck(at moment: Int, using random: inout SeededGenerator) throws {
    try recorder.powerCut(after: moment, using: &random).write(replacing: world)
    let path = world + "/a.db"
    let connection = try Connection(path: path, mode: .readWrite)
    let check = try connection.prepare("PRAGMA integrity_check")
    _ = try check.step()
    try demand(check.string(0) == "ok", check.string(0))
    check.reset()
    connection.close()
    // A disk keeps the time at which a file was made; here it is another file.
    var blind = StoreEnvironment.blind
    blind.stateDirectory = world + "/state"
    let a = try SyncSession(store: path, environment: blind)
    let report = try a.synchronize()
    try demand(report.failure == nil && report.renewal == nil, "\(report)")
    try demand(report.damaged.isEmpty && report.waiting.isEmpty, "\(report)")

    let rows = try a.rows("SELECT n FROM t WHERE n > 0 ORDER BY n")
    try demand(rows == (0..<rows.count).map { "\($0 + 1)" }, "\(rows)")
    let published = log.published.last { $0.operations <= moment }!.rows
    try demand(rows.count >= published, "\(rows.count) rows of \(published)")

    // It goes on, and another device gets all of it.
    try a.execute("INSERT INTO t VALUES (1000000, 'after')")
    try a.exchange()
    let other = directory + "/c.db"
    for suffix in ["", "-wal", "-shm"] {
      try? FileManager.default.removeItem(atPath: other + suffix)
    }
    try Self.attach(other, world)
    try demand(
      try SyncSession(store: other).store.digest() == a.store.digest(), "another device differs")
    try demand(try Engine.verify(store: path).differenceCount == 0, "it is not as the logs say")
  }
}
