import TributaryContainer
import TributaryCore
import TributaryFiles
import TributaryStore

/// Observes changes of the store's own file and of the container, as far as this machine can.
final class SyncWatch {
  let watcher: Watcher
  private let environment: StoreEnvironment
  private let directory: ContentDirectory
  private var own: PeerIdentity
  private let walPath: String
  private var wal: WatchToken?
  private var container = Tokens()

  /// The watches in the container, as far as there is something to watch.
  private struct Tokens: Sendable {
    var peers: WatchToken?
    var logs: [PeerIdentity: WatchToken] = [:]
    /// The directories of peers whose log has not appeared yet.
    var arriving: [PeerIdentity: WatchToken] = [:]

    var all: Set<WatchToken> {
      Set(logs.values).union(arriving.values).union(peers.map { [$0] } ?? [])
    }
  }

  /// Commits within this time after a publish share the next segment.
  static let groupInterval = Duration.milliseconds(20)

  /// Changed manifests are read after this time.
  static let manifestPatience = Duration.milliseconds(500)

  init(identity: StoreIdentity, path: String, environment: StoreEnvironment) throws {
    watcher = try Watcher()
    self.environment = environment
    directory = try identity.directory()
    own = identity.peer
    walPath = path + "-wal"
  }

  /// Starts watching what has appeared since the last time, and stops watching what is no longer at
  /// its place: another directory may have been mounted, or moved, over it.
  ///
  /// Polling finds what does not exist yet, and everything if the system's limits are reached.
  func renew(lookingAtContainer: Bool, own: PeerIdentity) {
    self.own = own
    wal = wal ?? Self.watch(walPath, [.modified], watcher)
    guard lookingAtContainer || container.peers == nil else { return }
    var found = Tokens()
    if let executor = environment.executor {
      // All in one step, since it happens often. Polling covers what is not reached.
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

  private static func tokens(
    _ watcher: Watcher, _ directory: ContentDirectory, _ own: PeerIdentity,
    _ fileSystem: any FileSystem
  ) -> Tokens {
    var tokens = Tokens()
    tokens.peers = watch(directory.peers, .arrivals, watcher)
    guard tokens.peers != nil else { return tokens }
    // The synchronisation itself reports a directory that cannot be listed now.
    for entry in (try? fileSystem.list(directory.peers)) ?? [] {
      guard let peer = PeerIdentity(hex: entry.name), peer != own else { continue }
      let log = directory.log(of: peer)
      tokens.logs[peer] = watch(log, .arrivals, watcher)
      if tokens.logs[peer] != nil { continue }
      tokens.arriving[peer] = watch(directory.peer(peer), .arrivals, watcher)
      // The log may have appeared in between.
      tokens.logs[peer] = watch(log, .arrivals, watcher)
      if tokens.logs[peer] != nil, let token = tokens.arriving.removeValue(forKey: peer) {
        watcher.unwatch(token)
      }
    }
    return tokens
  }

  private static func watch(_ path: String, _ kinds: WatchKind, _ watcher: Watcher) -> WatchToken? {
    // Missing, or beyond the limits: polling covers it.
    try? watcher.watch(path, kinds)
  }

  /// The places where something has happened.
  struct News {
    var container = false
    var store = false
    var manifest = false
    /// Whether something happened outside of the watched logs.
    var isElsewhere = false
  }

  /// Waits for something to happen.
  ///
  /// - Returns: where it happened; nowhere if the time was over.
  func wait(milliseconds: Int) throws -> News {
    var deadline = ContinuousClock.now + .milliseconds(milliseconds)
    var isManifest = false
    while true {
      let left = max(.zero, deadline - ContinuousClock.now)
      let events = try watcher.wait(timeoutMilliseconds: Int(left / .milliseconds(1) + 0.5))
      let news = news(events)
      if news.container || news.store { return news }
      if news.manifest, !isManifest {
        // Mostly a receipt, which is not urgent: what was written with it comes first.
        isManifest = true
        deadline = min(deadline, ContinuousClock.now + Self.manifestPatience)
      }
      if ContinuousClock.now >= deadline { return News(container: isManifest) }
    }
  }

  private func news(_ events: WatchEvents) -> News {
    var news = News(
      container: events.overflowed, store: events.woken, isElsewhere: events.overflowed)
    for event in events.events {
      if !event.kind.isDisjoint(with: .lost.union(.ended)) {
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
    return news
  }

  private func forget(_ token: WatchToken) {
    if wal == token { wal = nil }
    if container.peers == token { container.peers = nil }
    for (peer, other) in container.logs where other == token { container.logs[peer] = nil }
    for (peer, other) in container.arriving where other == token { container.arriving[peer] = nil }
  }
}
