internal import Glibc
internal import Synchronization
internal import TributaryContainer
internal import TributaryCore
internal import TributaryFiles

extension DocumentCentre {
  /// The pause between looks without a watcher.
  private static let blindMicroseconds: UInt32 = 500_000

  /// Starts the thread that waits for events, unless it runs.
  func ensureDispatcher() {
    let starts = state.withLock { state in
      defer { state.hasDispatcher = true }
      return !state.hasDispatcher
    }
    guard starts else {
      watcher?.wake()
      return
    }
    do {
      _ = try WorkerThread(name: "documents") { self.dispatch() }
    } catch {
      // The next document that is opened, or written, tries again.
      state.withLock { $0.hasDispatcher = false }
    }
  }

  /// Waits for events and has documents synchronised, until none is open.
  private func dispatch() {
    while true {
      let (wait, isDone, starts) = state.withLock { state -> (Int, Bool, Int) in
        if state.entries.isEmpty {
          state.hasDispatcher = false
          return (0, true, 0)
        }
        let now = ContinuousClock.now
        let idle = state.entries.values.filter { !$0.isRunning }
        let ready = idle.filter { $0.due <= now }.count
        let starts = max(0, min(ready, workerLimit - state.workers))
        state.workers += starts
        let next = idle.map(\.due).filter { $0 > now }.min().map { $0 - now } ?? .seconds(1)
        return (Int(min(next, .seconds(5)) / .milliseconds(1)) + 1, false, starts)
      }
      if isDone { return }
      for _ in 0..<starts { startWorker() }
      listen(milliseconds: wait)
    }
  }

  private func startWorker() {
    do {
      _ = try WorkerThread(name: "document-sync") {
        while true {
          // Under one lock, so that nothing becomes due unseen in between.
          guard let session = self.take() else { break }
          self.work(session)
        }
        self.state.withLock { $0.workers -= 1 }
        self.watcher?.wake()
      }
    } catch {
      // The system has no room for a thread now; the next round tries again.
      state.withLock { $0.workers -= 1 }
    }
  }

  private func listen(milliseconds: Int) {
    guard let watcher else {
      blindPause()
      return
    }
    guard let events = try? watcher.wait(timeoutMilliseconds: milliseconds) else {
      blindPause()
      return
    }
    let now = ContinuousClock.now
    state.withLock { state in
      for event in events.events {
        guard let owner = state.owners[event.token] else { continue }
        // A temporary file announces the one that takes its place.
        if let name = event.name, name.hasPrefix(".") { continue }
        if let due = state.entries[owner]?.due { state.entries[owner]?.due = min(due, now) }
      }
      if events.overflowed {
        for id in state.entries.keys { state.entries[id]?.due = now }
      }
    }
  }

  private func blindPause() { usleep(Self.blindMicroseconds) }

  // MARK: Watching

  /// Watches the directories of the other peers of a document, and the statement that it was deleted.
  func renewWatches(_ session: DocumentSession) {
    guard let watcher, !session.state.contains(.closed) else { return }
    let document = session.document
    let container =
      document.container
      ?? session.documents.local.privateContainer(of: document.metadata.contentName)
    let peers = session.documents.logs(
      document.metadata.contentURL, document.metadata.contentName, in: container
    ).appending(component: "peers")
    let own = session.store.peer
    let look: @Sendable () throws(FileError) -> Set<WatchToken> = {
      Self.tokens(peers, own, watcher)
    }
    // What cannot be watched is polled.
    let tokens: Set<WatchToken>
    if let executor = (session.documents.files as? BoundedFileSystem)?.executor {
      tokens = (try? executor.run("inotify_add_watch", on: peers, look)) ?? []
    } else {
      tokens = (try? look()) ?? []
    }
    let id = ObjectIdentifier(session)
    let old = state.withLock { state -> Set<WatchToken> in
      guard let entry = state.entries[id] else { return tokens }
      state.entries[id]?.tokens = tokens
      for token in tokens { state.owners[token] = id }
      let gone = entry.tokens.subtracting(tokens)
      for token in gone { state.owners[token] = nil }
      return gone
    }
    for token in old { watcher.unwatch(token) }
  }

  private static func tokens(
    _ peers: String, _ own: PeerIdentity, _ watcher: Watcher
  ) -> Set<WatchToken> {
    let files = LocalFileSystem()
    var tokens: Set<WatchToken> = []
    func watch(_ path: String) {
      // Missing, or beyond the limits: polling covers it.
      if let token = try? watcher.watch(path, .arrivals) { tokens.insert(token) }
    }
    watch(peers)
    for entry in (try? files.list(peers)) ?? [] {
      guard let peer = PeerIdentity(hex: entry.name), peer != own else { continue }
      let directory = peers.appending(component: entry.name)
      watch(directory.appending(component: "log"))
    }
    return tokens
  }
}
