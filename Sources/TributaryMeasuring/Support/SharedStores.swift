import TributaryContainer
import TributaryCore
import TributaryFiles
import TributaryStore
import TributarySync

/// Stores of one container, with the table `tracks`.
final class SharedStores {
  private let scratch: Scratch
  private let environment: StoreEnvironment
  let schema: String
  let container: String

  static let contentName = "Tracks"

  convenience init(
    _ scratch: Scratch, key: Workload.Key = .integer, indexes: Bool = false,
    isConstrained: Bool = false, environment: StoreEnvironment = StoreEnvironment()
  ) throws {
    try self.init(
      scratch, schema: Workload.schema(key: key, indexes: indexes, isConstrained: isConstrained),
      environment: environment)
  }

  /// Makes stores with other tables.
  init(_ scratch: Scratch, schema: String, environment: StoreEnvironment = StoreEnvironment())
    throws
  {
    self.scratch = scratch
    self.environment = environment
    self.schema = schema
    container = try scratch.makeDirectory("shared")
  }

  func path(_ name: String) -> String { container + "-" + name + ".db" }

  /// Attaches a new store, or one rebuilt from the logs.
  @discardableResult
  func attach(_ name: String) throws -> AttachReport {
    var request = AttachRequest(
      store: path(name), container: container, contentName: Self.contentName)
    request.migrations = [Migration(name: "tracks", sql: schema)]
    request.peerName = name
    return try Engine.attach(request, environment: environment)
  }

  /// Runs workloads on a store.
  func write(_ name: String, _ runs: [StoreRun]) throws {
    let store = try LocalStore.forMeasuring(path(name))
    for run in runs { try run.run(on: store) }
  }

  /// Inserts rows in order.
  ///
  /// - Parameter first: the number of the first row.
  func insert(_ name: String, rows: Int, from first: Int = 1, rowsPerTransaction: Int) throws {
    try insert(
      into: session(name).store, rows: rows, from: first, rowsPerTransaction: rowsPerTransaction)
  }

  func insert(
    into store: LocalStore, rows: Int, from first: Int = 1, rowsPerTransaction: Int
  ) throws {
    let tracks = Tracks(rows, from: first)
    try StoreRun(
      workload: Workload(operation: .insert, rowsPerTransaction: rowsPerTransaction, rows: rows),
      input: Workload.Input(
        targets: tracks, order: Array(tracks.rows.indices), titles: tracks)
    ).run(on: store)
  }

  func session(_ name: String) throws -> SyncSession {
    try SyncSession(store: path(name), environment: environment)
  }

  /// Returns what a store has published so far.
  func log(of name: String) throws -> PublishedLog {
    let peer = try LocalStore.forMeasuring(path(name)).identity().peer
    let directory = ContentDirectory(
      container: container, name: try ContentName(Self.contentName))
    let segments = SegmentStore(directory, peer: peer, using: LocalFileSystem())
    let names = try LocalFileSystem().list(segments.path).compactMap { SegmentName($0.name) }
    return PublishedLog(segments: segments, names: names.sorted())
  }

  /// Writes the rows that those of a constrained table refer to, and transfers them to the others.
  func writeYears(_ name: String, for others: [String]) throws {
    try LocalStore.forMeasuring(path(name)).write { try $0.execute(Workload.insertYears) }
    for name in [name] + others { try Self.synchronize(path(name)) }
  }

  /// Publishes and imports.
  ///
  /// - Throws: `BenchmarkError` if anything was wrong: a figure for half an import is worthless.
  @discardableResult
  static func synchronize(_ path: String) throws -> SyncReport {
    try checked(SyncSession(store: .forMeasuring(path)).synchronize())
  }

  /// Does what a store does when nothing happens for a day: compacts its log, removes the segments that were
  /// replaced, and removes records that are no longer needed.
  ///
  /// - Parameter days: the days on which it does so; 0 is today.
  static func settle(_ path: String, on days: ClosedRange<UInt64> = 0...1) throws {
    var environment = StoreEnvironment()
    let store = try LocalStore.forMeasuring(path)
    for day in days {
      environment.clock = LaterClock(days: day)
      let session = SyncSession(store: store, environment: environment)
      _ = try checked(session.synchronize())
      while case .done = try session.compactStep() {}
    }
  }

  static func checked(_ report: SyncReport) throws -> SyncReport {
    if let failure = report.failure { throw failure }
    guard report.waiting.isEmpty, report.damaged.isEmpty else {
      throw BenchmarkError("something waits or is damaged: \(report.waiting) \(report.damaged)")
    }
    return report
  }
}
