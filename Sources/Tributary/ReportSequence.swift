/// The reports of a store's own thread from the moment you ask for them: what it published and
/// imported, what waits, what it set aside, and why it could not use the container. A problem that
/// persists is reported once.
///
/// When more than 4 MB of reports are unread, further ones are merged into the last one.
///
/// The sequence ends when the store is closed.
public struct ReportSequence: AsyncSequence, Sendable {
  let listening: Listening<SyncReport>

  public struct AsyncIterator: AsyncIteratorProtocol {
    var base: Listening<SyncReport>.AsyncIterator

    public mutating func next() async -> SyncReport? { await base.next() }
  }

  public func makeAsyncIterator() -> AsyncIterator {
    AsyncIterator(base: listening.makeAsyncIterator())
  }
}
