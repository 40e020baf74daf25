internal import Synchronization

/// What one listener of a query has not read yet.
final class QueryInbox: Sendable {
  fileprivate struct State {
    var hasGathered = false
    var failures: [CoordinationError] = []
    var update = MetadataUpdate()
  }

  private let state = Mutex(State())
  let signals: AsyncStream<Void>
  private let signal: AsyncStream<Void>.Continuation

  init() {
    (signals, signal) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
  }

  func sendGathered() {
    state.withLock { $0.hasGathered = true }
    signal.yield()
  }

  func send(_ update: MetadataUpdate, _ failures: [CoordinationError]) {
    state.withLock { state in
      state.update.append(update)
      state.failures += failures
    }
    signal.yield()
  }

  func end() { signal.finish() }

  /// Makes `body` run when there is no longer a listener.
  func whenDropped(_ body: @escaping @Sendable () -> Void) {
    signal.onTermination = { _ in body() }
  }

  func next() -> MetadataQueryEvent? {
    let (event, hasMore) = state.withLock { state in (state.next(), !state.isEmpty) }
    // Another reader may be waiting too.
    if hasMore { signal.yield() }
    return event
  }
}

extension QueryInbox.State {
  fileprivate var isEmpty: Bool { !hasGathered && failures.isEmpty && update.isEmpty }

  fileprivate mutating func next() -> MetadataQueryEvent? {
    if hasGathered {
      hasGathered = false
      return .didFinishGathering
    }
    if !failures.isEmpty { return .didFail(failures.removeFirst()) }
    if update.isEmpty { return nil }
    defer { update = MetadataUpdate() }
    return .didUpdate(update)
  }
}
