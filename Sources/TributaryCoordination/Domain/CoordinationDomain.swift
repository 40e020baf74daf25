internal import Glibc
internal import Synchronization
internal import TributaryFiles

/// Coordinates this process with all others that use the same directory.
package final class CoordinationDomain: Sendable {
  private let directory: CoordinationDirectory
  /// This process's session with the table, once it is needed; locked while the table changes.
  private let session = Mutex<Session?>(nil)
  private let listener = Mutex<Listener?>(nil)
  let local = Mutex(LocalCoordination())
  private let isWatching: Bool

  /// The domain of this user.
  package static let user = CoordinationDomain(
    directory: RuntimeDirectory.user.appending(component: RuntimeDirectory.currentBoot()))

  /// Makes a domain. Several domains of one directory behave like several processes.
  ///
  /// - Parameters:
  ///   - directory: the directory. Neither it nor its parent need exist, but the parent's parent must.
  ///   - isWatching: `false` to do without the system's notifications.
  package init(directory: String, isWatching: Bool = true) {
    self.directory = CoordinationDirectory(path: directory)
    self.isWatching = isWatching
  }

  /// Ends the domain as the end of the process would. Waiting callers get `CancellationError`.
  package func close() {
    let ended = local.withLock { state in
      defer { (state.waiters, state.presenters) = ([:], [:]) }
      return state
    }
    for waiter in ended.waiters.values { waiter.resume(.failure(CancellationError())) }
    for presenter in ended.presenters.values { presenter.end() }
    let listener = listener.withLock { listener in
      defer { listener = nil }
      return listener
    }
    listener?.end()
    session.withLock { $0 = nil }
  }

  /// Changes the table, grants the claims that can then be granted, and wakes the processes that this
  /// concerns.
  ///
  /// - Parameter change: gets the table and the identity of this process. It must not wait.
  @discardableResult
  func transact<Result: Sendable>(
    clearing: Session.Clearing = .never,
    _ change: (inout CoordinationTable, String) throws(CoordinationError) -> Result
  ) throws(CoordinationError) -> Result {
    var effects = Effects()
    let result = try session.withLock { (session) throws(CoordinationError) in
      let result = try join(&session).transact(clearing: clearing, &effects, local, change)
      // Under the lock, so that messages arrive in order.
      let presenters = local.withLock { $0.presenters }
      for message in effects.mail { presenters[message.presenter]?.add(message) }
      return result
    }
    for (waiter, claim) in effects.granted { waiter.resume(.success(claim)) }
    for bell in effects.bells { Listener.ring(bell) }
    // After a move to another table, other processes ring another bell.
    if let listener = listener.withLock({ $0 }), listener.bell != session.withLock({ $0?.bell }) {
      try listen()
    }
    return result
  }

  /// Checks whether the table concerns this process, and if so, does what there is to do.
  func look(clearing: Session.Clearing) throws(CoordinationError) {
    let present = session.withLock { $0 }
    guard let present else { return }
    if clearing == .never {
      let table = try present.read()
      let isConcerned = local.withLock {
        $0.isConcerned(by: table, present.record.identity) || !$0.takeLate(in: table).isEmpty
      }
      if !isConcerned { return }
    }
    try transact(clearing: clearing) { (table, _) throws(CoordinationError) in
      for number in local.withLock({ $0.takeLate(in: table) }) { table.giveUpAsking(number) }
    }
  }

  /// Returns the current table.
  package func currentTable() throws(CoordinationError) -> CoordinationTable {
    try session.withLock { (session) throws(CoordinationError) in try join(&session).read() }
  }

  /// Starts the thread that listens to other processes, or makes it check.
  func listen() throws(CoordinationError) {
    let bell = try session.withLock { (session) throws(CoordinationError) in
      try join(&session).bell
    }
    do {
      try listener.withLock { (listener) throws(FileError) in
        if let listener, listener.bell == bell { return listener.wake() }
        listener?.end()
        listener = try Listener(
          bell: bell, lives: directory.lives, domain: self, isWatching: isWatching)
      }
    } catch {
      throw CoordinationError(error)
    }
  }

  /// Lets a listener end if it has nothing to do.
  ///
  /// - Returns: `false` if it has something to do.
  func retire(_ idle: Listener) -> Bool {
    listener.withLock { listener in
      let hasWork = local.withLock { $0.isWaiting || !$0.presenters.isEmpty }
      if hasWork { return false }
      if listener === idle { listener = nil }
      return true
    }
  }

  private func join(_ session: inout Session?) throws(CoordinationError) -> Session {
    if let session, !session.isOrphaned { return session }
    let fresh = try Session(directory)
    if session != nil { try moveIn(fresh) }
    session = fresh
    return fresh
  }

  /// Moves what this process has to another table, since the directory has been removed.
  private func moveIn(_ session: Session) throws(CoordinationError) {
    let lost = local.withLock { state in
      defer { state.waiters = [:] }
      return state.waiters.values.map(\.self)
    }
    let error = CoordinationError(
      .inaccessible, "the runtime directory \(directory.path) was removed", path: directory.path,
      remedy: "try again, and keep programs from removing the directory")
    for waiter in lost { waiter.resume(.failure(error)) }
    var effects = Effects()
    let present = local.withLock { $0.presenters }
    let queues = try session.transact(clearing: .never, &effects, local) {
      (table, process) throws(CoordinationError) in
      var queues: [UInt64: PresenterQueue] = [:]
      for queue in present.values {
        let number = table.addPresenter(of: process, at: queue.path)
        queues[number] = queue
      }
      return queues
    }
    local.withLock { $0.presenters = queues }
  }
}
