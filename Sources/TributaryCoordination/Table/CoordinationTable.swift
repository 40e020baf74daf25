/// The claims and presenters of all processes: a value, whose methods decide which claim comes next and which
/// presenters are notified of what.
package struct CoordinationTable: Hashable, Sendable {
  /// The next number for a claim, a presenter or a message; 0 means none.
  package var next: UInt64 = 1
  package var processes: [ProcessRecord] = []
  package var presenters: [PresenterRecord] = []
  /// In the order of their numbers.
  package var claims: [Claim] = []
  package var messages: [PresenterMessage] = []

  package init() {}

  package mutating func takeNumber() -> UInt64 {
    defer { next += 1 }
    return next
  }

  package func claim(_ number: UInt64) -> Claim? { claims.first { $0.number == number } }

  package func presenter(_ number: UInt64) -> PresenterRecord? {
    presenters.first { $0.number == number }
  }

  package mutating func join(_ process: ProcessRecord) {
    guard !processes.contains(where: { $0.identity == process.identity }) else { return }
    processes.append(process)
  }

  package mutating func addPresenter(of process: String, at path: String) -> UInt64 {
    let number = takeNumber()
    presenters.append(PresenterRecord(number: number, process: process, path: path))
    return number
  }

  /// Removes a presenter. No claim waits for its answer any more.
  package mutating func removePresenter(_ number: UInt64) {
    presenters.removeAll { $0.number == number }
    messages.removeAll { $0.presenter == number }
  }

  /// Fetches the messages for the presenters of a process.
  package mutating func takeMessages(for process: String) -> [PresenterMessage] {
    guard messages.contains(where: { !$0.isDelivered }) else { return [] }
    let own = Set(presenters.lazy.filter { $0.process == process }.map(\.number))
    let mail = messages.filter { !$0.isDelivered && own.contains($0.presenter) }
    if mail.isEmpty { return [] }
    messages.removeAll {
      !$0.isDelivered && !$0.kind.needsAnswer && own.contains($0.presenter)
    }
    for index in messages.indices where own.contains(messages[index].presenter) {
      messages[index].isDelivered = true
    }
    return mail
  }

  /// Notes the answer of a presenter.
  package mutating func answer(_ message: UInt64, failure: String = "") {
    guard let index = messages.firstIndex(where: { $0.number == message }) else { return }
    let claim = messages.remove(at: index).claim
    guard !failure.isEmpty, let asker = claims.firstIndex(where: { $0.number == claim }) else {
      return
    }
    if claims[asker].failure.isEmpty { claims[asker].failure = failure }
  }

  /// Stops waiting for the presenters that a claim has asked.
  package mutating func giveUpAsking(_ number: UInt64) {
    guard let index = claims.firstIndex(where: { $0.number == number }),
      claims[index].phase == .asking
    else { return }
    withdrawQuestions(of: index)
    messages.removeAll { $0.claim == number && $0.kind.needsAnswer }
  }

  /// Withdraws the questions of a claim that no process has fetched. A presenter that was not asked to
  /// relinquish an item is not told that it may use the item again either.
  mutating func withdrawQuestions(of index: Int) {
    let claim = claims[index]
    let unheard = messages.filter {
      $0.claim == claim.number && $0.kind.needsAnswer && !$0.isDelivered
    }
    if unheard.isEmpty { return }
    let numbers = Set(unheard.map(\.number))
    messages.removeAll { numbers.contains($0.number) }
    let spared = Set(
      unheard.lazy.filter { $0.kind == .relinquishToReader || $0.kind == .relinquishToWriter }
        .map(\.presenter))
    claims[index].relinquished.removeAll { spared.contains($0) }
  }

  /// Removes what belongs to processes that have ended.
  package mutating func removeProcesses(_ identities: Set<String>) {
    if identities.isEmpty { return }
    for presenter in presenters where identities.contains(presenter.process) {
      removePresenter(presenter.number)
    }
    for claim in claims where identities.contains(claim.process) {
      // It is unknown how far the write has got.
      end(claim.number, changes: claim.items.filter(\.access.isWriting).map { .changed($0.path) })
    }
    processes.removeAll { identities.contains($0.identity) }
  }
}
