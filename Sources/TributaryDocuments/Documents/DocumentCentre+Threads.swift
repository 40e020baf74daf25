internal import Glibc
internal import Synchronization
internal import TributaryContainer
internal import TributaryCore
internal import TributaryFiles

extension DocumentCentre {
  /// The pause between checks without a watcher.
  private static let blindMicroseconds: UInt32 = 500_000

  /// Starts the thread that waits for events, unless it is running.
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

  /// Waits for events and gets documents synchronised, until none is open.
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
          // Under one lock, so that nothing becomes due unnoticed in between.
          guard let session = self.take() else { break }
          self.work(session)
        }
        self.state.withLock { $0.workers -= 1 }
        self.watcher?.wake()
      }
    } catch {
      // The system cannot make a thread now; the next round tries again.
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
        for owner in state.owners[event.token] ?? [] {
          guard let entry = state.entries[owner], entry.watches.concern(event) else { continue }
          state.entries[owner]?.due = min(entry.due, now)
        }
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
    let deletion = document.container.map { container in
      (
        container: container,
        names: [
          Tombstones.directoryName, document.metadata.contentURL, document.metadata.contentName,
        ]
      )
    }
    let look: @Sendable () throws(FileError) -> DocumentWatches = {
      DocumentWatches(watcher, peersDirectory: peers, own: own, deletion: deletion)
    }
    // Polling finds what cannot be watched, so errors do not matter here.
    let watches: DocumentWatches
    if let executor = (session.documents.files as? BoundedFileSystem)?.executor {
      watches =
        (try? executor.run("inotify_add_watch", on: peers, look)) ?? DocumentWatches()
    } else {
      watches = (try? look()) ?? DocumentWatches()
    }
    let id = ObjectIdentifier(session)
    let old = state.withLock { state -> Set<WatchToken> in
      guard let entry = state.entries[id] else {
        return watches.all.filter { state.owners[$0] == nil }
      }
      state.entries[id]?.watches = watches
      for token in watches.all { state.owners[token, default: []].insert(id) }
      // Something may have arrived between the last check and the new watch.
      if let former = entry.watches.deletion, former != watches.deletion {
        state.entries[id]?.due = .now
      }
      return state.disown(entry.watches.all.subtracting(watches.all), id)
    }
    for token in old { watcher.unwatch(token) }
  }
}
