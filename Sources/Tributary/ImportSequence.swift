/// The imports of a store from the moment of asking: each exactly once, after its commit, in that
/// order; those that other processes on the same store have made too, as long as the store
/// synchronises by itself, or else when it is told to.
///
/// Where more than 4 MB of them are unread, further ones are taken up into the last.
///
/// Ends when the store is closed.
public struct ImportSequence: AsyncSequence, Sendable {
  let listening: Listening<ImportChange>

  public struct AsyncIterator: AsyncIteratorProtocol {
    var base: Listening<ImportChange>.AsyncIterator

    public mutating func next() async -> ImportChange? { await base.next() }
  }

  public func makeAsyncIterator() -> AsyncIterator {
    AsyncIterator(base: listening.makeAsyncIterator())
  }
}
