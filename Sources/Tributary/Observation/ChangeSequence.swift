/// The changes of a store from the moment you ask for them: one element after each commit that has changed
/// rows.
///
/// It includes the writes of this store, what it imports, and what other stores on the same file, other
/// processes and other programs write and import. Changes by this process arrive at once, the others as soon
/// as the system reports them.
///
/// When more than 4 MB of changes are unread, further ones are merged into the last one.
///
/// The sequence ends when the store is closed.
public struct ChangeSequence: AsyncSequence, Sendable {
  let listening: Listening<StoreChange>

  public struct AsyncIterator: AsyncIteratorProtocol {
    var base: Listening<StoreChange>.AsyncIterator

    public mutating func next() async -> StoreChange? { await base.next() }
  }

  public func makeAsyncIterator() -> AsyncIterator {
    AsyncIterator(base: listening.makeAsyncIterator())
  }
}
