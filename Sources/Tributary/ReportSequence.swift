/// What a store's own thread reports from the moment of asking: what was published and imported,
/// what waits, what was set aside, and why the container could not be used. A trouble that stays
/// the same is told once.
///
/// Where more than 4 MB of them are unread, further ones are taken up into the last.
///
/// Ends when the store is closed.
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
