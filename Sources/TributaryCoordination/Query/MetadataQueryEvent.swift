/// What a query reports.
public enum MetadataQueryEvent: Sendable {
  /// All existing items are in the results.
  case didFinishGathering
  /// The results have changed.
  case didUpdate(MetadataUpdate)
  /// A directory cannot be read. The query continues with the others, and tries again. Reported once.
  case didFail(CoordinationError)
}

/// What a query reports from the moment you ask for it. If the query has already gathered its items, the
/// sequence first reports that at once.
///
/// Unread updates are merged, so they take no more memory than the items that they are about. The sequence
/// ends when the query is stopped.
public struct MetadataQueryEvents: AsyncSequence, Sendable {
  let inbox: QueryInbox

  /// Reads the events.
  public struct AsyncIterator: AsyncIteratorProtocol {
    let inbox: QueryInbox
    var signals: AsyncStream<Void>.AsyncIterator

    public mutating func next() async -> MetadataQueryEvent? {
      while true {
        if let event = inbox.next() { return event }
        // The query was stopped, or the task was cancelled.
        guard await signals.next() != nil else { return inbox.next() }
      }
    }
  }

  public func makeAsyncIterator() -> AsyncIterator {
    AsyncIterator(inbox: inbox, signals: inbox.signals.makeAsyncIterator())
  }
}
