import Synchronization

/// What one listener is sent, from the moment of asking until the end.
///
/// What nobody reads is kept in a `Backlog`.
package struct Listening<Element: Accumulating>: AsyncSequence, Sendable {
  /// The side of the one who sends.
  final class Inbox: Sendable {
    private let backlog = Mutex(Backlog<Element>())
    /// Wakes who waits: one signal stands for all that has come.
    let signal: AsyncStream<Void>.Continuation

    init(_ signal: AsyncStream<Void>.Continuation) { self.signal = signal }

    func send(_ element: Element) {
      backlog.withLock { $0.append(element) }
      signal.yield()
    }

    fileprivate func next() -> Element? {
      let (element, hasMore) = backlog.withLock { ($0.next(), !$0.isEmpty) }
      // Somebody else may wait too.
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
        // It ends with the broadcast, or the task is cancelled.
        guard await signals.next() != nil else { return inbox.next() }
      }
    }
  }

  package func makeAsyncIterator() -> AsyncIterator {
    AsyncIterator(inbox: inbox, signals: signals.makeAsyncIterator())
  }
}
