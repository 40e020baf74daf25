import Foundation
import Synchronization
import TributaryContainer
import TributaryDocuments
import TributaryFiles
public import TributaryKeyValue
import TributaryStore
public import TributarySync

/// Small settings that all devices of an application share: property-list values under string keys.
///
/// On every device the last set wins, by its time stamp, and the user is not asked. The values are on this
/// device, so they can be read and set whether or not the container is available. Unless the options say
/// otherwise, a thread of the store publishes what was set and imports what has arrived.
public final class KeyValueStore: Sendable {
  let engine: KeyValueEngine
  private let announcements = KeyValueAnnouncements()
  private let session = Mutex<SyncSession?>(nil)
  private let watch = Mutex<KeyValueWatch?>(nil)
  private let options: KeyValueStoreOptions

  /// Opens a key-value store, making it first if necessary. If its container has never been available, the
  /// values stay on this device until it is; then the values of other devices win, and this device's values
  /// are added under the keys that those do not have.
  ///
  /// `KeyValueStoreOptions.progress` is called with the progress. If it throws, or the task is cancelled,
  /// nothing has been made.
  ///
  /// - Parameters:
  ///   - path: the path of the database, outside any container. A database that was detached brings its
  ///     values along.
  ///   - options: the container, the identifier and the limits.
  /// - Throws: `DocumentError` with `notEntitled`, `KeyValueError`, `StoreError`, `ContainerError`, `SyncError`,
  ///   `SQLiteError`, each naming the file and the remedy; `CancellationError`.
  public static func open(
    at path: String, options: KeyValueStoreOptions
  ) async throws -> KeyValueStore {
    try await OpeningProgress.run(options.progress) {
      try KeyValueStore(path: path, options: options, $0)
    }
  }

  private init(
    path: String, options: KeyValueStoreOptions, _ progress: OpeningProgress
  ) throws {
    self.options = options
    try StorePath.check(path)
    let path = StorePath.absolute(path)
    try (options.entitlements ?? .ofApplication())?.checkKeyValueStore(options.identifier)
    let place = options.place(at: path)
    let pending = PendingFlush()
    let announcements = announcements
    let isAttached = try Self.attachIfPossible(place, progress)
    engine = try KeyValueEngine(
      place, isAttached: isAttached, interval: options.writeInterval,
      flushLater: { pending.schedule(after: $0) }, didChange: { announcements.send($0) })
    pending.engine.withLock { [engine] in $0.engine = engine }
    pending.didFail.withLock { didFail in
      didFail = { error in
        var report = SyncReport()
        report.failure = error
        announcements.reports.send(report)
      }
    }
    announcements.begin(for: self)
    if options.synchronizesAutomatically { try startWatch() }
  }

  /// Attaches the store if the container is available.
  ///
  /// - Returns: whether it is attached.
  private static func attachIfPossible(
    _ place: KeyValuePlace, _ progress: OpeningProgress
  ) throws -> Bool {
    if try place.isAttached() { return true }
    do {
      _ = try place.attach(heeding: progress.cancellation, progress: progress.pass)
      return true
    } catch {
      if isAway(error) { return false }
      throw error
    }
  }

  private static func isAway(_ error: any Error) -> Bool {
    if let error = error as? AttachError {
      return error.refusals.contains { isAway($0.cause) }
    }
    guard let error = error as? ContainerError else { return error is FileError }
    return [.absent, .unresponsive, .inaccessible, .readOnly, .full].contains(error.code)
  }

  deinit {
    // Without waiting: the store's thread may itself have released the last reference.
    watch.withLock { $0?.stop.stop() }
    // What cannot be written now is lost with the process's memory; `synchronize` reports this beforehand.
    try? engine.close()
    announcements.end()
  }

  /// Writes what was set and closes the store. Its thread and its sequences end, and later sets throw.
  ///
  /// - Throws: an error if writing to the disk fails. The store is closed anyway; what was set within the
  ///   last `writeInterval` is lost then.
  public func close() throws {
    stopWatch()
    defer { announcements.end() }
    try engine.close()
  }

  /// The absolute path of the database.
  public var path: String { engine.path }

  /// The limits.
  public var profile: KeyValueProfile { engine.profile }

  /// Returns how much the store holds, in the units of its limits.
  public func usage() throws -> KeyValueUsage { try engine.usage() }

  // MARK: Synchronising

  /// The changes that this process did not make, from now on.
  public var changes: KeyValueChangeSequence {
    KeyValueChangeSequence(listening: announcements.changes.listen())
  }

  /// What the store's thread reports, from now on.
  public var reports: ReportSequence {
    ReportSequence(listening: announcements.reports.listen())
  }

  /// Writes what is only in memory, and has the store's thread exchange it with the container soon.
  ///
  /// - Returns: whether everything that was set is on the disk and survives a power cut.
  @discardableResult
  public func synchronize() -> Bool {
    do {
      try engine.flush()
    } catch {
      var report = SyncReport()
      report.failure = error
      announcements.reports.send(report)
      return false
    }
    watch.withLock { $0?.stop.wake() }
    return true
  }

  /// Publishes and imports now, blocking the calling thread.
  ///
  /// - Returns: what was done. Problems with the container are in the report; the store keeps working.
  @discardableResult
  public func synchronizeNow() throws -> SyncReport {
    try engine.flush()
    do {
      return try joinedSession().synchronize(didImport: engine.note)
    } catch {
      guard engine.store == nil, Self.isAway(error) else { throw error }
      var report = SyncReport()
      report.failure = error
      return report
    }
  }

  /// Returns the session of the attached store, attaching it first if necessary.
  func joinedSession() throws -> SyncSession {
    try engine.join()
    return try session.withLock { session in
      guard let store = engine.store else {
        throw KeyValueError(
          .closed, "the store was closed", path: engine.path, remedy: "open it again")
      }
      if let present = session, present.store === store { return present }
      let made = SyncSession(store: store, environment: options.environment)
      session = made
      return made
    }
  }

  /// Switches to the values of another container, for example when another user signs in. The values of the
  /// current container stay at their path, and are used again when you switch back. Listeners get the change
  /// with the reason `accountChange`.
  ///
  /// - Parameters:
  ///   - container: the other shared directory.
  ///   - path: the path of the other container's database on this device.
  /// - Throws: why the database cannot be opened; `CancellationError`, as `open` does. Nothing has changed
  ///   then.
  public func change(to container: Container, at path: String) async throws {
    try await OpeningProgress.run(options.progress) { [self] progress in
      try StorePath.check(path)
      var place = options.place(at: path)
      place.container = container.path
      _ = try Self.attachIfPossible(place, progress)
      stopWatch()
      let result = Result { try engine.change(to: place) }
      if options.synchronizesAutomatically { try startWatch() }
      try result.get()
    }
  }

  private func startWatch() throws {
    let made = try KeyValueWatch(
      interval: options.pollInterval, engine: engine,
      session: { [weak self] in try self?.joinedSession() },
      report: { [announcements] in announcements.reports.send($0) })
    watch.withLock { $0 = made }
  }

  private func stopWatch() { watch.withLock { $0.take() }?.end() }
}
