public import FoundationEssentials

/// Finds the items of directories that match, and follows their changes.
///
/// A query works on a thread of its own between `start()` and `stop()`. First it gathers the items that there are;
/// then it reports changes, no matter which program makes them. Where the system reports no changes, as on network mounts, the
/// query looks from time to time.
///
/// Files and directories whose names begin with a dot are not found, and links are not followed. A managed document (a
/// directory with a `DocumentMetadata.plist`) is one item. A directory that does not exist yet is found when it is
/// made.
public final class MetadataQuery: Sendable {
  /// Which items the query is for.
  public let predicate: MetadataPredicate
  private let roots: [SearchRoot]
  private let intervals: QueryIntervals
  private let isWatching: Bool
  private let state = QueryState()

  /// Makes a query, which does nothing before it is started.
  ///
  /// - Parameters:
  ///   - predicate: which items are looked for.
  ///   - scopes: where they are looked for.
  ///   - containers: the containers for the scopes `.documents` and `.data`.
  ///   - notificationBatchingInterval: the least time between two updates.
  ///   - pollingInterval: the time between two looks at everything, where the system reports nothing. More if a look
  ///     takes more than a twentieth of it.
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

  /// - Parameter isWatching: `false` to do without the reports of the system.
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

  /// Starts gathering, anew if the query was stopped.
  ///
  /// - Throws: `CoordinationError` with the code `invalidQuery` if it is started already, or `inaccessible` if there is
  ///   no room for its thread.
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

  /// Ends the query; its results stay as they are. Harmless if it is not started.
  public func stop() { state.end() }

  /// Whether the query was started and not stopped.
  public var isStarted: Bool { state.isStarted }

  /// Whether the query has not gathered all items yet.
  public var isGathering: Bool { state.isGathering }

  /// The items, by path; none before all are gathered.
  ///
  /// - Complexity: O(*n* log *n*)
  public var results: [MetadataItem] {
    state.results.sorted { ExactText($0.path) < ExactText($1.path) }
  }

  /// The number of items.
  public var resultCount: Int { state.resultCount }

  /// Keeps the results as they are until `enableUpdates()` is called as often.
  public func disableUpdates() { state.disableUpdates() }

  /// Lets the results change again, and reports all changes since.
  public func enableUpdates() { state.enableUpdates() }

  /// What the query reports from now on.
  public var events: MetadataQueryEvents { state.listen() }
}
