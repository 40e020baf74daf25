public import FoundationEssentials

/// Finds matching items in directories, and follows their changes.
///
/// A query works on its own thread between `start()` and `stop()`. First it gathers the existing items; then
/// it reports changes, no matter which program makes them. Where the system does not report changes, as on
/// network mounts, the query checks from time to time.
///
/// Files and directories whose names begin with a dot are not found, and links are not followed. A managed document (a
/// directory with a `DocumentMetadata.plist`) is one item. A directory that does not exist yet is found when it is
/// made.
public final class MetadataQuery: Sendable {
  /// The condition for the items that the query finds.
  public let predicate: MetadataPredicate
  private let roots: [SearchRoot]
  private let intervals: QueryIntervals
  private let isWatching: Bool
  private let state = QueryState()

  /// Makes a query, which does nothing until it is started.
  ///
  /// - Parameters:
  ///   - predicate: the items to look for.
  ///   - scopes: where to look for them.
  ///   - containers: the containers for the scopes `.documents` and `.data`.
  ///   - notificationBatchingInterval: the shortest time between two updates.
  ///   - pollingInterval: the time between two scans of everything where the system does not report changes.
  ///     It is longer if a scan takes more than a twentieth of it.
  /// - Throws: `CoordinationError` if there is nothing to search.
  public convenience init(
    predicate: MetadataPredicate = .all, scopes: [MetadataScope], containers: [URL],
    notificationBatchingInterval: Duration = .milliseconds(100),
    pollingInterval: Duration = .seconds(10)
  ) throws {
    try self.init(
      predicate: predicate, scopes: scopes, containers: containers,
      intervals: QueryIntervals(batching: notificationBatchingInterval, polling: pollingInterval),
      isWatching: true)
  }

  /// - Parameter isWatching: `false` to do without the system's notifications.
  package convenience init(
    predicate: MetadataPredicate = .all, scopes: [MetadataScope], containers: [URL] = [],
    batching: Duration = .zero, polling: Duration, isWatching: Bool
  ) throws {
    try self.init(
      predicate: predicate, scopes: scopes, containers: containers,
      intervals: QueryIntervals(
        batching: batching, polling: polling, missing: min(polling, .seconds(1))),
      isWatching: isWatching)
  }

  private init(
    predicate: MetadataPredicate, scopes: [MetadataScope], containers: [URL],
    intervals: QueryIntervals, isWatching: Bool
  ) throws {
    self.predicate = predicate
    roots = try SearchRoot.roots(scopes, containers: containers)
    self.intervals = intervals
    self.isWatching = isWatching
  }

  deinit { state.end() }

  /// Starts gathering, from the beginning if the query was stopped.
  ///
  /// - Throws: `CoordinationError` with the code `invalidQuery` if it is already started, or `inaccessible`
  ///   if its thread cannot be made.
  public func start() throws {
    let run = QueryRun(predicate, roots, intervals, isWatching: isWatching)
    guard state.begin(run) else {
      throw CoordinationError(
        .invalidQuery, "the query is started already", remedy: "stop it before you start it again")
    }
    do {
      try run.start(state)
    } catch {
      state.end(run)
      throw CoordinationError(error)
    }
  }

  /// Stops the query; its results stay as they are. Harmless if it is not started.
  public func stop() { state.end() }

  /// Whether the query was started and not stopped.
  public var isStarted: Bool { state.isStarted }

  /// Whether the query is still gathering the items.
  public var isGathering: Bool { state.isGathering }

  /// The items, sorted by path; none until all are gathered.
  ///
  /// - Complexity: O(*n* log *n*)
  public var results: [MetadataItem] {
    state.results.sorted { ExactText($0.path) < ExactText($1.path) }
  }

  /// The number of items.
  public var resultCount: Int { state.resultCount }

  /// Keeps the results as they are until `enableUpdates()` has been called as many times as this method.
  public func disableUpdates() { state.disableUpdates() }

  /// Lets the results change again, and reports all changes since they were disabled.
  public func enableUpdates() { state.enableUpdates() }

  /// What the query reports from now on.
  public var events: MetadataQueryEvents { state.listen() }
}
