internal import FoundationEssentials
internal import Synchronization
internal import TributaryFiles

/// A call that waits for its items.
final class AccessRequest: Sendable {
  private enum State {
    case new, cancelled
    case asked(UInt64)
  }

  private let coordinator: FileCoordinator
  private let intents: [FileAccessIntent]
  /// The claims within which the call is made.
  private let around: [UInt64]
  private let state = Mutex(State.new)

  init(_ coordinator: FileCoordinator, _ intents: [FileAccessIntent]) {
    self.coordinator = coordinator
    self.intents = intents
    around = CoordinationFlow.claims
  }

  /// Requests the items. May block for a moment, as the file system does.
  ///
  /// - Parameter completion: called once, on any thread.
  func start(_ completion: @escaping @Sendable (Result<Grant, any Error>) -> Void) {
    coordinator.requests.withLock { $0[ObjectIdentifier(self)] = self }
    @Sendable func finish(_ result: Result<Grant, any Error>) {
      coordinator.requests.withLock { $0[ObjectIdentifier(self)] = nil }
      completion(result)
    }
    do {
      let paths = try intents.map { intent throws(CoordinationError) in try ItemPath(intent.url) }
      let claim = Claim(
        number: 0, process: "", purpose: coordinator.purposeIdentifier,
        presenter: coordinator.domain.number(of: coordinator.filePresenter), under: around,
        items: zip(paths, intents).map { ClaimItem(path: $0.item, access: $1.access) })
      let number = try coordinator.domain.enqueue(
        claim, patience: coordinator.presenterTimeLimit
      ) { [intents] result in
        finish(result.map { Grant(claim: $0, intents: intents, paths: paths) })
      }
      let isCancelled = state.withLock { state in
        if case .cancelled = state { return true }
        state = .asked(number)
        return false
      }
      if isCancelled { coordinator.domain.cancel(number) }
    } catch {
      finish(.failure(error))
    }
  }

  /// Makes the call throw `CancellationError` if it is still waiting.
  func cancel() {
    let number = state.withLock { state -> UInt64? in
      if case .asked(let number) = state { return number }
      state = .cancelled
      return nil
    }
    guard let number else { return }
    let domain = coordinator.domain
    do {
      // The file system may block, and the caller may be a thread of the task pool.
      _ = try WorkerThread(name: "tributary-cancel") { domain.cancel(number) }
    } catch {
      domain.cancel(number)
    }
  }
}
