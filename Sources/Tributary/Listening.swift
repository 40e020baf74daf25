import Synchronization

/// The elements sent to one listener, from the moment it asks until the end.
///
/// Unread elements are kept in a `Backlog`.
package struct Listening<Element: Accumulating>: AsyncSequence, Sendable {
  /// The sender's side.
  final class Inbox: Sendable {
    private let backlog = Mutex(Backlog<Element>())
    /// Wakes the waiting reader. One signal stands for everything that has arrived.
    let signal: AsyncStream<Void>.Continuation

    init(_ signal: AsyncStream<Void>.Continuation) { self.signal = signal }

    func send(_ element: Element) {
      backlog.withLock { $0.append(element) }
      signal.yield()
    }

    fileprivate func next() -> Element? {
      let (element, hasMore) = backlog.withLock { ($0.next(), !$0.isEmpty) }
      // Another reader may be waiting too.
      if hasMore { signal.yield() }
      return element
    }
  }

  let inbox: Inbox
  private let signals: AsyncStream<Void>

  init() {
    let (signals, signal) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
    self.signals = signals
    inbox = Inbox(signal)
  }

  package struct AsyncIterator: AsyncIteratorProtocol {
    let inbox: Inbox
    var signals: AsyncStream<Void>.AsyncIterator

    package mutating func next() async -> Element? {
      while true {
        if let element = inbox.next() { return element }
        // The broadcast has ended, or the task was cancelled.
        guard await signals.next() != nil else { return inbox.next() }
      }
    }
  }

  package func makeAsyncIterator() -> AsyncIterator {
    AsyncIterator(inbox: inbox, signals: signals.makeAsyncIterator())
  }
}
