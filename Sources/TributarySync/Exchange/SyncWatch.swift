import TributaryContainer
import TributaryCore
import TributaryFiles
import TributaryStore

/// Observes changes of the store's own file and of the container, as far as this machine can.
final class SyncWatch {
  let watcher: any Watching
  private let environment: StoreEnvironment
  private let directory: ContentDirectory
  private var own: PeerIdentity
  private let path: String
  private let walPath: String
  private var wal: WatchToken?
  /// What is watched for a store that is closed while there is nothing to do; `nil` if the store stays open.
  private var rest: Rest?
  private var container = Tokens()

  /// The watches in the container, as far as there is something to watch.
  private struct Tokens: Sendable {
    var peers: WatchToken?
    var logs: [PeerIdentity: WatchToken] = [:]
    /// The directories of peers whose log has not appeared yet.
    var arriving: [PeerIdentity: WatchToken] = [:]
    /// Whether everything that must be watched is watched, on a file system where every change passes through
    /// this machine.
    var isAnnounced = false

    var all: Set<WatchToken> {
      Set(logs.values).union(arriving.values).union(peers.map { [$0] } ?? [])
    }
  }

  /// The watches beside the log, which disappears when no process has the database open.
  private struct Rest {
    let files: any FileSystem
    /// The directory of the store.
    var folder: WatchToken?
    var database: WatchToken?
    /// The state of the files before the last look at the store.
    var seen: State?
    /// When the files were first seen in that state.
    var first: ContinuousClock.Instant?
    /// Whether each later change will give the files another state.
    var isSettled = false
    /// The state in which an open store had nothing to do.
    var quiet: State?

    mutating func mark(_ path: String, at now: ContinuousClock.Instant) {
      let state = State(path, files)
      let since = state == seen ? first ?? now : now
      (seen, first, isSettled) = (state, since, now - since >= SyncWatch.fileTimeResolution)
    }

    /// What changes with each commit, but not when a program that changes nothing opens or closes the
    /// database.
    struct State: Equatable {
      var database: FileStatus?
      var log: FileStatus?

      init(_ path: String, _ files: any FileSystem) {
        // Where the state is unknown, polling finds any changes.
        database = try? files.status(path)
        log = (try? files.status(path + "-wal")).flatMap { $0.size == 0 ? nil : $0 }
      }
    }
  }

  /// When changed manifests are to be read; `nil` if none has changed.
  private(set) var manifestDue: ContinuousClock.Instant?

  /// How long reading changed manifests is postponed.
  static let manifestPatience = Duration.milliseconds(500)

  /// File systems record the times of changes at least this precisely.
  static let fileTimeResolution = Duration.seconds(3)

  /// Prepares a watch.
  ///
  /// - Parameter rests: whether the store is closed while there is nothing to do.
  init(
    _ watcher: any Watching, identity: StoreIdentity, path: String, rests: Bool = false,
    environment: StoreEnvironment
  ) throws {
    self.watcher = watcher
    self.path = path
    if rests { rest = Rest(files: environment.localFiles) }
    self.environment = environment
    directory = try identity.directory()
    own = identity.peer
    walPath = path + "-wal"
  }

  /// Starts watching what has appeared since the last call, and stops watching what is no longer in its
  /// place: another directory may have been mounted or moved over it.
  ///
  /// Polling finds what does not exist yet, and finds everything if the system's limits are reached.
  func renew(lookingAtContainer: Bool, own: PeerIdentity) {
    self.own = own
    renewStore()
    guard lookingAtContainer || container.peers == nil else { return }
    var found = Tokens()
    if let executor = environment.executor {
      // All of this is one step, since it happens often. Polling covers what cannot be watched.
      let tokens = try? executor.run("inotify_add_watch", on: directory.peers) {
        [watcher, directory, own, base = environment.localFiles] in
        Self.tokens(watcher, directory, own, base)
      }
      found = tokens ?? Tokens()
    } else {
      found = Self.tokens(watcher, directory, own, environment.fileSystem)
    }
    for token in container.all.subtracting(found.all) { watcher.unwatch(token) }
    container = found
  }

  /// Records the state of the store's files, before a look at the store.
  func mark(at now: ContinuousClock.Instant) {
    renewStore()
    rest?.mark(path, at: now)
  }

  /// Whether a store that had nothing to do has not changed since then, so that a look need not open it.
  var isStoreQuiet: Bool {
    guard let rest, let seen = rest.seen, seen.database != nil else { return false }
    return rest.quiet == seen
  }

  /// Records that the open store had nothing to do at the last look.
  func didFindQuiet() {
    guard let known = rest, known.isSettled else { return }
    rest?.quiet = known.seen
  }

  private func renewStore() {
    wal = wal ?? Self.watch(walPath, [.modified], watcher)
    guard let known = rest else { return }
    let folder = path.parentDirectory
    rest?.folder = known.folder ?? Self.watch(folder, [.created, .renamedInto], watcher)
    rest?.database = known.database ?? Self.watch(path, [.modified], watcher)
  }

  private static func tokens(
    _ watcher: any Watching, _ directory: ContentDirectory, _ own: PeerIdentity,
    _ fileSystem: any FileSystem
  ) -> Tokens {
    var tokens = Tokens()
    tokens.peers = watch(directory.peers, .arrivals, watcher)
    guard tokens.peers != nil else { return tokens }
    // The synchronisation itself reports a directory that cannot be listed now.
    guard let entries = try? fileSystem.list(directory.peers) else { return tokens }
    tokens.isAnnounced = LocalFileSystem.notesChanges(directory.peers)
    for entry in entries {
      guard let peer = PeerIdentity(hex: entry.name), peer != own else { continue }
      let log = directory.log(of: peer)
      tokens.logs[peer] = watch(log, .arrivals, watcher)
      if tokens.logs[peer] != nil { continue }
      tokens.arriving[peer] = watch(directory.peer(peer), .arrivals, watcher)
      // The log may have appeared in the meantime.
      tokens.logs[peer] = watch(log, .arrivals, watcher)
      if tokens.logs[peer] != nil, let token = tokens.arriving.removeValue(forKey: peer) {
        watcher.unwatch(token)
      }
      if tokens.logs[peer] == nil, tokens.arriving[peer] == nil { tokens.isAnnounced = false }
    }
    return tokens
  }

  private static func watch(
    _ path: String, _ kinds: WatchKind, _ watcher: any Watching
  ) -> WatchToken? {
    // The path is missing or beyond the system's limits. Polling covers it.
    try? watcher.watch(path, kinds)
  }

  /// Returns where something has happened.
  func notice(_ events: WatchEvents, at now: ContinuousClock.Instant) -> WatchNews {
    var news = news(events)
    if news.container {
      // Everything is read now.
      manifestDue = nil
    } else if news.manifest {
      // The change is usually a receipt, which is not urgent. What was written with it comes first.
      manifestDue = manifestDue ?? now + Self.manifestPatience
    }
    if let manifestDue, manifestDue <= now {
      self.manifestDue = nil
      news.container = true
    }
    return news
  }

  /// Whether everything that matters is announced at once, as far as this can be known: what programs do with
  /// the store, and what carriers and this machine's other stores do in the container.
  var isAnnounced: Bool {
    container.isAnnounced && (rest.map { $0.folder != nil && $0.database != nil } ?? (wal != nil))
  }

  private func news(_ events: WatchEvents) -> WatchNews {
    var news = WatchNews(
      container: events.overflowed, store: events.woken, isElsewhere: events.overflowed)
    var mayHaveCommits = false
    for event in events.events {
      if isOfStore(event) {
        mayHaveCommits = true
      } else if let rest, event.token == rest.folder {
        // Another file beside the store has changed.
        continue
      } else if !event.kind.isDisjoint(with: .lost.union(.ended)) {
        // The end of a watch is reported after the loss of what was watched.
        guard event.token == wal || container.all.contains(event.token) else { continue }
        forget(event.token)
        news.container = true
        news.isElsewhere = true
      } else if event.token == wal {
        news.store = true
      } else if event.name == PeerManifest.fileName {
        news.manifest = true
      } else if !(event.name ?? "").hasPrefix(".") {
        news.container = true
        if !container.logs.values.contains(event.token) { news.isElsewhere = true }
      }
    }
    if mayHaveCommits, let rest {
      // A log that has just appeared must be watched before its state is recorded.
      renewStore()
      if Rest.State(path, rest.files) != rest.seen { news.store = true }
    }
    return news
  }

  /// Whether an event concerns the files of a store that is closed while it rests.
  private func isOfStore(_ event: WatchEvent) -> Bool {
    guard let rest, [wal, rest.folder, rest.database].contains(event.token) else { return false }
    if !event.kind.isDisjoint(with: .lost.union(.ended)) { forget(event.token) }
    return event.token != rest.folder || event.name.map { walPath.hasSuffix("/" + $0) } ?? true
  }

  private func forget(_ token: WatchToken) {
    if rest?.folder == token { rest?.folder = nil }
    if rest?.database == token { rest?.database = nil }
    if wal == token { wal = nil }
    if container.all.contains(token) { container.isAnnounced = false }
    if container.peers == token { container.peers = nil }
    for (peer, other) in container.logs where other == token { container.logs[peer] = nil }
    for (peer, other) in container.arriving where other == token { container.arriving[peer] = nil }
  }
}
