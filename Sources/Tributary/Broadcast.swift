import Synchronization

/// Hands each element to everyone who listens at the time.
final class Broadcast<Element: Sendable>: Sendable {
  private struct State {
    var listeners: [Int: AsyncStream<Element>.Continuation] = [:]
    var next = 0
    var hasEnded = false
  }

  private let state = Mutex(State())

  /// A stream of what is sent from now on. It ends when the broadcast does, and costs nothing once
  /// dropped.
  func listen() -> AsyncStream<Element> {
    let (stream, continuation) = AsyncStream<Element>.makeStream()
    let number = state.withLock { state -> Int? in
      guard !state.hasEnded else { return nil }
      state.next += 1
      state.listeners[state.next] = continuation
      return state.next
    }
    guard let number else {
      continuation.finish()
      return stream
    }
    continuation.onTermination = { [weak self] _ in
      self?.state.withLock { $0.listeners[number] = nil }
    }
    return stream
  }

  func send(_ element: Element) {
    for listener in state.withLock({ Array($0.listeners.values) }) { listener.yield(element) }
  }

  func end() {
    let listeners = state.withLock { state in
      state.hasEnded = true
      defer { state.listeners.removeAll() }
      return Array(state.listeners.values)
    }
    for listener in listeners { listener.finish() }
  }
}
