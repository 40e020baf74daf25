/// The new conflicts of a store from the moment of asking, told after each import that brings some.
///
/// Ends when the store is closed.
public struct ConflictSequence: AsyncSequence, Sendable {
  let stream: AsyncStream<ImportChange>

  package init(_ stream: AsyncStream<ImportChange>) { self.stream = stream }

  public struct AsyncIterator: AsyncIteratorProtocol {
    var base: AsyncStream<ImportChange>.AsyncIterator

    public mutating func next() async -> [Conflict]? {
      while let change = await base.next() {
        if !change.conflicts.isEmpty { return change.conflicts }
      }
      return nil
    }
  }

  public func makeAsyncIterator() -> AsyncIterator {
    AsyncIterator(base: stream.makeAsyncIterator())
  }
}
