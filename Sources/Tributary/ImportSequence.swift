/// The imports of a store from the moment of asking: each exactly once, after its commit, in that
/// order; those that other processes on the same store have made too, as long as the store
/// synchronises by itself, or else when it is told to.
///
/// Ends when the store is closed.
public struct ImportSequence: AsyncSequence, Sendable {
  let stream: AsyncStream<ImportChange>

  public struct AsyncIterator: AsyncIteratorProtocol {
    var base: AsyncStream<ImportChange>.AsyncIterator

    public mutating func next() async -> ImportChange? { await base.next() }
  }

  public func makeAsyncIterator() -> AsyncIterator {
    AsyncIterator(base: stream.makeAsyncIterator())
  }
}
