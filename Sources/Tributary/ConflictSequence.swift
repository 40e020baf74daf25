import TributarySync

/// The new conflicts of a store from the moment of asking, after each import or write that has
/// brought some.
///
/// Where more have been found unread than fit into 4 MB, all that last follow in one element, those
/// among them that were there before.
///
/// Ends when the store is closed.
public struct ConflictSequence: AsyncSequence, Sendable {
  let listening: Listening<ConflictNews>
  let session: SyncSession

  public struct AsyncIterator: AsyncIteratorProtocol {
    var base: Listening<ConflictNews>.AsyncIterator
    let session: SyncSession

    public mutating func next() async -> [Conflict]? {
      while let news = await base.next() {
        if let conflicts = news.conflicts { return conflicts }
        // Only a store that was closed meanwhile, or cannot be read, has none to show.
        let session = session
        let all = try? await Blocking.run { try session.conflicts() }
        if let all, !all.isEmpty { return all }
      }
      return nil
    }
  }

  public func makeAsyncIterator() -> AsyncIterator {
    AsyncIterator(base: listening.makeAsyncIterator(), session: session)
  }
}
