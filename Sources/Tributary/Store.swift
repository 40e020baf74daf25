import Foundation
import Synchronization
import TributaryContainer
import TributaryCore
import TributaryFiles
import TributarySQLite
import TributaryStore
import TributarySync

/// One device's database for a content name, kept in sync with those of its peers.
///
/// Reads and writes are ordinary SQLite on this device's own file, and work without the container. Unless the
/// options say otherwise, a thread of the store publishes what was written and imports what has arrived.
public final class Store: Sendable {
  /// The absolute path of the database.
  public let path: String
  /// This store's identity as a writer. It changes when a synchronisation finds that the store was restored
  /// from a backup or copied; see `SyncReport.renewal`.
  public var peer: PeerIdentity { local.peer }

  let local: LocalStore
  let environment: StoreEnvironment
  let log: StoreLog
  let session: SyncSession
  private let stop = StopSignal()
  private let thread = Mutex<WorkerThread?>(nil)
  let announcements = Announcements()
  /// The observers of changes.
  let observation: StoreObservation
  /// The asynchronous reads.
  let turns = Turns()
  /// The asynchronous writes: one of them writes, and the others wait for it.
  let writeTurns = Turns()

  /// Opens a store, creating it first if necessary: empty, rebuilt from the logs in the container, or with
  /// the rows of an existing database, which it adopts. Then runs the migrations that have not run yet.
  ///
  /// `StoreOptions.progress` is called with the progress. If it throws, or the task is cancelled, nothing has
  /// been made; if the store existed already, the migrations that have finished stay.
  ///
  /// - Throws: `StoreError`, `ContainerError`, `SyncError`, `SQLiteError`, each naming the file and
  ///   the remedy; `CancellationError`. A store that is already attached opens even without the container.
  public static func open(at path: String, options: StoreOptions) async throws -> Store {
    try await OpeningProgress.run(options.progress) {
      try Store(path: path, options: options, $0)
    }
  }

  private init(path: String, options: StoreOptions, _ progress: OpeningProgress) throws {
    try StorePath.check(path)
    let path = StorePath.absolute(path)
    self.path = path
    log = StoreLog(path: path, body: options.log)
    environment = options.environment
    var request = AttachRequest(
      store: path, container: options.container.path, contentName: options.contentName)
    request.contentRoot = options.contentRoot
    request.migrations = options.schema.migrations
    request.peerName = options.peerName
    request.tables = options.tables
    request.merge = options.merge
    request.capture = options.capture
    request.extensions = options.extensions
    request.copyOnce = options.copyOnce
    request.shareContents = options.shareContents
    request.spaceLimit = options.spaceLimit
    request.followsSchema = options.followsSchema
    request.cancellation = progress.cancellation
    if options.prepare != nil || options.trace != nil {
      let preparation = ConnectionPreparation(body: options.prepare, trace: options.trace)
      try preparation.rehearse(for: path)
      Connection.setPreparation(preparation, ofDatabase: path)
    }
    if options.extensions != nil { try request.useExtensions(options.environment) }
    if try !Self.isAttached(path, options.environment) {
      let report = try Engine.attach(
        request, environment: options.environment, progress: progress.pass)
      log.write(.notice, "attached: \(report.outcome)")
    }
    local = try options.environment.openStore(at: path, synchronous: options.synchronous)
    try Reopening(store: local, environment: options.environment).settle(request, progress.pass)
    if let files = try request.extensionFiles(options.environment) {
      try local.service { try StoreExtensions($0, birth: options.environment.birth).write(files) }
    }
    if let limit = options.spaceLimit {
      try local.service { try Settings($0).setSpaceLimit(limit) }
    }
    if let names = options.copyOnce { try local.copyOnce(names) }
    if let merge = options.merge { try local.declare(merge) }
    if let capture = options.capture { try local.choose(capture) }
    session = SyncSession(store: local, environment: options.environment)
    observation = StoreObservation(
      local: local, session: session,
      file: .at(try Self.status(path, options.environment)?.identity))
    announcements.tellImports(to: observation)
    local.onCommit { [stop] _ in stop.wake() }
    if options.synchronizesAutomatically { try start(interval: options.pollInterval) }
    log.write(.debug, "opened", ["peer": "\(peer)"])
  }

  private static func isAttached(_ path: String, _ environment: StoreEnvironment) throws -> Bool {
    guard try status(path, environment) != nil else { return false }
    return try LocalStore.isAttached(at: path)
  }

  private static func status(
    _ path: String, _ environment: StoreEnvironment
  ) throws(ContainerError) -> FileStatus? {
    do {
      return try environment.fileSystem.status(path)
    } catch {
      throw ContainerError(error)
    }
  }

  deinit {
    // Without waiting: this thread may itself have released the last reference.
    stop.stop()
    local.close()
    observation.end(waits: false)
    announcements.end()
  }

  /// Closes the store. Later calls throw `StoreError` with the code `closed`, the store's thread and its sequences end, and
  /// no file stays open. Unpublished commits are published when the store is opened again.
  ///
  /// Running reads and writes continue to their end, and only then are their files closed. Any thread may
  /// call this, more than once, even from a handler or inside a read or a write. The call waits for the
  /// store's thread to end: during an import until the next commit, and one second if the container does not
  /// answer.
  public func close() {
    if !stop.isStopped { log.write(.debug, "closed") }
    stop.stop()
    local.close()
    announcements.deliveries.end()
    let running = thread.withLock { $0 }
    // The store's thread may be waiting for the write that made this call, and a thread cannot wait for
    // itself.
    if let running, !local.isWriting, !running.isCurrent { running.join() }
    // Only now, so that what the thread has imported is still announced.
    announcements.end()
    // As above, the observing thread may be waiting for this one.
    observation.end(waits: !local.isWriting)
  }

  // MARK: Reading and writing

  /// Runs `body` in a transaction and commits it, together with the record that other devices will
  /// import.
  ///
  /// Writers wait for each other for at most five seconds. `body` may use savepoints.
  ///
  /// - Returns: what `body` returns.
  /// - Throws: what `body` throws, `SQLiteError`, or `StoreError` for rows that cannot be
  ///   replicated. Nothing has changed then.
  public func write<Result>(_ body: (Database) throws -> Result) throws -> Result {
    try local.write(body)
  }

  /// Runs a write that is based on an earlier version, for example one from a form that took an hour to fill
  /// in, or from a cached object. The version is the `Database.version` of the read that supplied the values.
  ///
  /// Writes of the same columns since that version are not lost: the later write becomes visible and the
  /// earlier one becomes a conflict, as if two devices had written.
  ///
  /// - Throws: what the other `write` throws, and `StoreError` for a version of another store, or for a
  ///   version later than the current one.
  public func write<Result>(
    basedOn version: Version, _ body: (Database) throws -> Result
  ) throws -> Result {
    try write(basedOn: version, heeding: nil, body)
  }

  func write<Result>(
    basedOn version: Version, heeding cancellation: Cancellation?,
    _ body: (Database) throws -> Result
  ) throws -> Result {
    let result = try local.write(basedOn: version, heeding: cancellation, body)
    // The write is committed. If it cannot be examined for conflicts now, the next synchronisation does so.
    if let found = try? session.examineOwnWrites(), !found.isEmpty { announcements.send(found) }
    return result
  }

  /// Runs `body` on a snapshot of the database. Any number of threads may read at once.
  public func read<Result>(_ body: (Database) throws -> Result) throws -> Result {
    try local.read(body)
  }

  // MARK: Synchronising

  /// The imports from now on.
  public var imports: ImportSequence { ImportSequence(listening: announcements.changes.listen()) }

  /// What the store's thread reports from now on.
  public var reports: ReportSequence { ReportSequence(listening: announcements.reports.listen()) }

  /// Publishes and imports now, and waits until this is done.
  ///
  /// - Returns: what was done. Problems with the container are in the report; the store keeps
  ///   working.
  @discardableResult
  public func synchronize() async throws -> SyncReport {
    try await Blocking.run { try self.synchronizeNow() }
  }

  /// Publishes and imports now, blocking the calling thread.
  @discardableResult
  public func synchronizeNow() throws -> SyncReport {
    // Handlers may call the store: none of its locks is held at this point.
    defer { announcements.deliveries.deliver(post) }
    let report = try session.synchronize(didImport: announcements.send)
    log.write(report)
    return report
  }

  /// Returns the state of the store and of its peers.
  public func status() throws -> StatusReport { try session.status() }

  /// Returns a SHA-256 digest of the contents of the replicated tables, in lower-case hexadecimal. Two
  /// digests are equal exactly when the contents are.
  ///
  /// - Complexity: O(rows); reads every row.
  public func digest() throws -> String { try local.digest().total }

  private func start(interval: Duration) throws {
    let milliseconds = Int(clamping: Int64(interval / .milliseconds(1)))
    let watch = StoreWatch(
      session: session, stop: stop, announcements: announcements, log: log)
    let post: @Sendable (ImportChange) -> Void = { [weak self] in self?.post($0) }
    let running = try WorkerThread(name: "tributary") {
      watch.run(interval: milliseconds, post: post)
    }
    thread.withLock { $0 = running }
  }

  func post(_ change: ImportChange) {
    NotificationCenter.default.post(
      name: .didImportUbiquitousContentChanges, object: self, userInfo: change.userInfo)
  }
}
