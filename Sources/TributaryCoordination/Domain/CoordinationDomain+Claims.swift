internal import Synchronization
internal import TributaryFiles

extension CoordinationDomain {
  /// Requests a claim.
  ///
  /// - Parameters:
  ///   - patience: how long presenters may take to answer.
  ///   - resume: called once, on any thread, with the granted claim, or with the reason why it will not be
  ///     granted. Not called if this method throws.
  /// - Returns: the number of the claim.
  func enqueue(
    _ claim: Claim, patience: Duration,
    resume: @escaping @Sendable (Result<Claim, any Error>) -> Void
  ) throws(CoordinationError) -> UInt64 {
    var added: UInt64?
    do throws(CoordinationError) {
      let number = try transact(clearing: .ifWaiting) {
        (table, process) throws(CoordinationError) in
        var claim = claim
        claim.process = process
        let number = try table.add(claim)
        added = number
        local.withLock { $0.waiters[number] = Waiter(patience: patience, resume: resume) }
        return number
      }
      if local.withLock({ $0.waiters[number] != nil }) { try listen() }
      return number
    } catch {
      if let added, local.withLock({ $0.waiters.removeValue(forKey: added) }) != nil {
        end(added, changes: [])
      }
      throw error
    }
  }

  /// Gives up a claim that is not granted yet.
  func cancel(_ number: UInt64) {
    guard let waiter = local.withLock({ $0.waiters.removeValue(forKey: number) }) else { return }
    end(number, changes: [])
    waiter.resume(.failure(CancellationError()))
  }

  /// Ends a claim. If that cannot be recorded now, it is recorded as soon as possible.
  func end(_ number: UInt64, changes: [ItemChange]) {
    do throws(CoordinationError) {
      try transact { (table, _) throws(CoordinationError) in table.end(number, changes: changes) }
    } catch {
      local.withLock { $0.unfinished.append((number, changes)) }
      // If no thread can be made, the next access records the end.
      try? listen()
    }
  }

  // MARK: Presenters

  func add(_ presenter: any FilePresenter, at path: String) throws(CoordinationError) {
    if number(of: presenter) != 0 { return }
    var added: UInt64?
    do throws(CoordinationError) {
      try transact { (table, process) throws(CoordinationError) in
        let number = table.addPresenter(of: process, at: path)
        added = number
        let queue = PresenterQueue(presenter, path: path, domain: self)
        local.withLock { $0.presenters[number] = queue }
      }
      try listen()
    } catch {
      if let added { local.withLock { $0.presenters.removeValue(forKey: added) }?.end() }
      throw error
    }
  }

  package func withdraw(_ presenter: any FilePresenter) throws(CoordinationError) {
    let number = number(of: presenter)
    guard let queue = local.withLock({ $0.presenters.removeValue(forKey: number) }) else { return }
    queue.end()
    try transact { (table, _) throws(CoordinationError) in table.removePresenter(number) }
  }

  /// Returns the number of a presenter of this process in the table; 0 if it was not added.
  func number(of presenter: (any FilePresenter)?) -> UInt64 {
    guard let presenter else { return 0 }
    return local.withLock { state in
      state.presenters.first { $0.value.presenter === presenter }?.key ?? 0
    }
  }

  var presenters: [any FilePresenter] {
    local.withLock { $0.presenters.sorted { $0.key < $1.key }.map(\.value.presenter) }
  }
}
