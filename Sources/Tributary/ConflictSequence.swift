import TributarySync

/// The new conflicts of a store from the moment you ask for them: one element after each import or
/// write that has brought any.
///
/// When the unread elements exceed 4 MB, one element follows with all open conflicts, including
/// earlier ones.
///
/// The sequence ends when the store is closed.
public struct ConflictSequence: AsyncSequence, Sendable {
  let listening: Listening<ConflictNews>
  let session: SyncSession

  public struct AsyncIterator: AsyncIteratorProtocol {
    var base: Listening<ConflictNews>.AsyncIterator
    let session: SyncSession

    public mutating func next() async -> [Conflict]? {
      while let news = await base.next() {
        if let conflicts = news.conflicts { return conflicts }
        // There are no conflicts to return only if the store has been closed meanwhile or cannot be
        // read.
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
