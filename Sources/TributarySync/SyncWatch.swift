import TributaryContainer
import TributaryCore
import TributaryFiles
import TributaryStore

/// Sees changes of the store's own file and of the container, as far as this machine can.
final class SyncWatch {
  let watcher: Watcher
  private let directory: ContentDirectory
  private var own: PeerIdentity
  private let walPath: String
  private var wal: WatchToken?
  private var peers: WatchToken?
  private var logs: [PeerIdentity: WatchToken] = [:]
  /// Directories of peers whose log has not appeared yet.
  private var arriving: [PeerIdentity: WatchToken] = [:]

  /// Commits that follow a publish within this time share the next segment.
  static let groupInterval = Duration.milliseconds(20)

  init(identity: StoreIdentity, path: String) throws {
    watcher = try Watcher()
    directory = try identity.directory()
    own = identity.peer
    walPath = path + "-wal"
  }

  /// Begins to watch what has appeared since the last time.
  ///
  /// What is not there yet is found by polling; so is everything when the system's limits are
  /// reached.
  func renew(own: PeerIdentity) throws {
    self.own = own
    wal = wal ?? watch(walPath, [.modified])
    peers = peers ?? watch(directory.peers, .arrivals)
    guard peers != nil else { return }
    // A directory that cannot be listed now is reported by the synchronisation itself.
    for entry in (try? LocalFileSystem().list(directory.peers)) ?? [] {
      guard let peer = PeerIdentity(hex: entry.name), peer != own else { continue }
      renew(peer)
    }
  }

  private func renew(_ peer: PeerIdentity) {
    let log = directory.log(of: peer)
    logs[peer] = watch(log, .arrivals)
    if logs[peer] == nil {
      arriving[peer] = watch(directory.peer(peer), .arrivals)
      // It may have appeared in between.
      logs[peer] = watch(log, .arrivals)
    }
    if logs[peer] != nil, let token = arriving.removeValue(forKey: peer) { watcher.unwatch(token) }
  }

  private func watch(_ path: String, _ kinds: WatchKind) -> WatchToken? {
    // Missing, or beyond the limits: polling does it.
    try? watcher.watch(path, kinds)
  }

  /// Waits for something to happen.
  ///
  /// - Returns: where; neither when the time was over.
  func wait(milliseconds: Int) throws -> (container: Bool, store: Bool) {
    let events = try watcher.wait(timeoutMilliseconds: milliseconds)
    var container = events.overflowed
    var store = events.woken
    for event in events.events {
      if !event.kind.isDisjoint(with: .lost.union(.ended)) {
        forget(event.token)
        container = true
      } else if event.token == wal {
        store = true
      } else if !(event.name ?? "").hasPrefix("."), event.name != PeerManifest.fileName {
        // Receipts of others are not news.
        container = true
      }
    }
    return (container, store)
  }

  private func forget(_ token: WatchToken) {
    if wal == token { wal = nil }
    if peers == token { peers = nil }
    for (peer, other) in logs where other == token { logs[peer] = nil }
    for (peer, other) in arriving where other == token { arriving[peer] = nil }
  }
}
