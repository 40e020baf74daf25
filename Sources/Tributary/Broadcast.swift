import Synchronization

/// Sends each element to everyone who is listening at that moment.
package final class Broadcast<Element: Accumulating>: Sendable {
  private struct State {
    var listeners: [Int: Listening<Element>.Inbox] = [:]
    var next = 0
    var hasEnded = false
  }

  private let state = Mutex(State())

  package init() {}

  /// Returns the elements that are sent from now on. The sequence ends with the broadcast, and
  /// costs nothing once it is dropped.
  package func listen() -> Listening<Element> {
    let listening = Listening<Element>()
    let inbox = listening.inbox
    let number = state.withLock { state -> Int? in
      guard !state.hasEnded else { return nil }
      state.next += 1
      state.listeners[state.next] = inbox
      return state.next
    }
    guard let number else {
      inbox.signal.finish()
      return listening
    }
    inbox.signal.onTermination = { [weak self] _ in
      self?.state.withLock { $0.listeners[number] = nil }
    }
    return listening
  }

  package func send(_ element: Element) {
    for listener in state.withLock({ Array($0.listeners.values) }) { listener.send(element) }
  }

  package func end() {
    let listeners = state.withLock { state in
      state.hasEnded = true
      defer { state.listeners.removeAll() }
      return Array(state.listeners.values)
    }
    for listener in listeners { listener.signal.finish() }
  }
}
