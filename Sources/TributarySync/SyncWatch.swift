import TributaryContainer
import TributaryCore
import TributaryFiles
import TributaryStore

/// Sees changes of the store's own file and of the container, as far as this machine can.
final class SyncWatch {
  let watcher: Watcher
  private let directory: ContentDirectory
  private let own: PeerIdentity
  private let walPath: String
  private var wal: WatchToken?
  private var peers: WatchToken?
  private var logs: [PeerIdentity: WatchToken] = [:]

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
  /// What is not there yet is found by polling; so is everything when the system's limits are reached.
  func renew() throws {
    wal = wal ?? watch(walPath, [.modified])
    peers = peers ?? watch(directory.peers, .arrivals)
    guard peers != nil else { return }
    for peer in logs.keys where watch(directory.log(of: peer), .arrivals) == nil { logs[peer] = nil }
    // A directory that cannot be listed now is reported by the synchronisation itself.
    for entry in (try? LocalFileSystem().list(directory.peers)) ?? [] {
      guard let peer = PeerIdentity(hex: entry.name), peer != own, logs[peer] == nil else { continue }
      logs[peer] = watch(directory.log(of: peer), .arrivals)
    }
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
      } else if !(event.name ?? "").hasPrefix(".") {
        container = true
      }
    }
    return (container, store)
  }

  private func forget(_ token: WatchToken) {
    if wal == token { wal = nil }
    if peers == token { peers = nil }
    for (peer, other) in logs where other == token { logs[peer] = nil }
  }
}
