/// The imports of a store from the moment of asking: each exactly once, after its commit, in that
/// order.
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
