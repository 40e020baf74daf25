import Foundation
import Synchronization
import TributaryContainer
import TributaryCore
import TributaryFiles
import TributaryStore
import TributarySync

/// One device's database of a content name, kept the same as those of its peers.
///
/// Reads and writes are ordinary SQLite on this device's own file and work without the container. A
/// thread of the store publishes what was written and imports what has arrived, unless the options
/// say otherwise.
public final class Store: Sendable {
  /// The path of the database.
  public let path: String
  /// This store as a writer. It changes when a synchronisation finds that the store was restored from
  /// a backup or copied; see `SyncReport.renewal`.
  public var peer: PeerIdentity { local.peer }

  private let local: LocalStore
  let session: SyncSession
  private let stop = StopSignal()
  private let thread = Mutex<WorkerThread?>(nil)
  let announcements = Announcements()

  /// Opens a store, and makes it first if need be: a new one, one rebuilt from the logs of the
  /// container, or an existing database with its rows adopted. Migrations that have not run yet are
  /// run.
  ///
  /// - Throws: `StoreError`, `ContainerError`, `SyncError`, `SQLiteError`, each naming the file and
  ///   the remedy. Without the container, a store that is attached already is opened all the same.
  public static func open(at path: String, options: StoreOptions) async throws -> Store {
    // Rebuilding may take long, and Swift's own threads must not block.
    try await Blocking.run { try Store(path: path, options: options) }
  }

  private init(path: String, options: StoreOptions) throws {
    self.path = path
    try StorePath.check(path)
    let clock = options.environment.clock
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
    if options.extensions != nil { try request.useExtensions(options.environment) }
    if try !Self.isAttached(path, options.environment) {
      _ = try Engine.attach(request, environment: options.environment)
    }
    local = try LocalStore(
      path: path, milliseconds: { clock.milliseconds() },
      randomness: options.environment.randomness, recognition: options.environment.recognition,
      synchronous: options.synchronous)
    try Reopening(store: local, environment: options.environment).settle(request)
    if let files = try request.extensionFiles(options.environment) {
      try local.service { try StoreExtensions($0, birth: options.environment.birth).write(files) }
    }
    if let names = options.copyOnce { try local.copyOnce(names) }
    if let merge = options.merge { try local.declare(merge) }
    if let capture = options.capture { try local.choose(capture) }
    session = SyncSession(store: local, environment: options.environment)
    local.onCommit { [stop] _ in stop.wake() }
    if options.synchronizesAutomatically { try start(interval: options.pollInterval) }
  }

  private static func isAttached(_ path: String, _ environment: Environment) throws -> Bool {
    guard try environment.fileSystem.status(path) != nil else { return false }
    return try LocalStore.isAttached(at: path)
  }

  deinit {
    // Without waiting: the last reference may have been let go on the thread itself.
    stop.stop()
    local.close()
    announcements.end()
  }

  /// Closes the store: whatever is called later throws `StoreError.closed`, its thread and its
  /// sequences end, and no file stays open. What was committed and is unpublished is published when the
  /// store is opened again.
  ///
  /// Reads and writes that run at the time go on to their end, and their files are closed then. It may
  /// be called from anywhere, a handler and such a read or write too, and again. It waits for the
  /// store's thread to end: for an import until the next commit, for a container that does not answer
  /// one second.
  public func close() {
    stop.stop()
    local.close()
    announcements.deliveries.end()
    let running = thread.withLock { $0 }
    // The thread may wait for the write in which this was called, and cannot wait for itself.
    if let running, !local.isWriting, !running.isCurrent { running.join() }
    // Only now: what the thread has imported is still said.
    announcements.end()
  }

  // MARK: Reading and writing

  /// Runs `body` in a transaction and commits it, together with the record that other devices will
  /// import.
  ///
  /// Writers wait for each other, at most five seconds; in `body`, savepoints may be used.
  ///
  /// - Returns: what `body` returns.
  /// - Throws: what `body` throws, `SQLiteError`, or `StoreError` for rows that cannot be
  ///   replicated. Nothing has changed then.
  public func write<Result>(_ body: (Database) throws -> Result) throws -> Result {
    try local.write(body)
  }

  /// The same for a write that was prepared with an earlier version before the eyes, such as a form
  /// filled in for an hour, or an object in a cache: `Database.version` of the read that it came
  /// from.
  ///
  /// Other writes of the same columns since then are not lost: the later one shows, the other is a
  /// conflict, as if two devices had written.
  ///
  /// - Throws: also `StoreError` for a version of another store, or later than this one.
  public func write<Result>(
    basedOn version: Version, _ body: (Database) throws -> Result
  ) throws -> Result {
    let result = try local.write(basedOn: version, body)
    // It is committed; what cannot be looked at now is looked at by the next synchronisation.
    if let found = try? session.examineOwnWrites(), !found.isEmpty { announcements.send(found) }
    return result
  }

  /// Runs `body` on one moment of the database. Any number of threads may read at once.
  public func read<Result>(_ body: (Database) throws -> Result) throws -> Result {
    try local.read(body)
  }

  // MARK: Synchronising

  /// The imports from now on.
  public var imports: ImportSequence { ImportSequence(listening: announcements.changes.listen()) }

  /// What the store's thread reports from now on.
  public var reports: ReportSequence { ReportSequence(listening: announcements.reports.listen()) }

  /// Publishes and imports now, and waits for it.
  ///
  /// - Returns: what was done. Trouble with the container is in the report; the store works on.
  @discardableResult
  public func synchronize() async throws -> SyncReport {
    try await Blocking.run { try self.synchronizeNow() }
  }

  /// The same, blocking the calling thread.
  @discardableResult
  public func synchronizeNow() throws -> SyncReport {
    // Handlers may call the store: nothing of it is held any more by then.
    defer { announcements.deliveries.deliver(post) }
    return try session.synchronize(didImport: announcements.send)
  }

  /// How the store stands.
  public func status() throws -> StatusReport { try session.status() }

  /// SHA-256 over the contents of the replicated tables, lower-case hexadecimal: equal exactly when
  /// the contents are.
  ///
  /// - Complexity: reads every row.
  public func digest() throws -> String { try local.digest().total }

  private func start(interval: Duration) throws {
    let milliseconds = Int(clamping: Int64(interval / .milliseconds(1)))
    let watch = StoreWatch(session: session, stop: stop, announcements: announcements)
    let post: @Sendable (ImportChange) -> Void = { [weak self] in self?.post($0) }
    let running = try WorkerThread(name: "tributary") {
      watch.run(interval: milliseconds, post: post)
    }
    thread.withLock { $0 = running }
  }

  private func post(_ change: ImportChange) {
    NotificationCenter.default.post(
      name: .didImportUbiquitousContentChanges, object: self, userInfo: change.userInfo)
  }
}
