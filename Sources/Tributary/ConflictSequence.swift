/// The new conflicts of a store from the moment of asking, told after each import or write that has
/// brought some.
///
/// Ends when the store is closed.
public struct ConflictSequence: AsyncSequence, Sendable {
  let stream: AsyncStream<[Conflict]>

  public struct AsyncIterator: AsyncIteratorProtocol {
    var base: AsyncStream<[Conflict]>.AsyncIterator

    public mutating func next() async -> [Conflict]? { await base.next() }
  }

  public func makeAsyncIterator() -> AsyncIterator {
    AsyncIterator(base: stream.makeAsyncIterator())
  }
}
