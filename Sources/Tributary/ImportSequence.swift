/// The imports of a store from the moment you ask for them: each exactly once, after its commit, in
/// the order of the commits.
///
/// It includes the imports that other processes make into the same store. They arrive as they
/// happen if the store synchronises automatically, and otherwise whenever it synchronises.
///
/// When more than 4 MB of them are unread, further imports are merged into the last one.
///
/// The sequence ends when the store is closed.
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
