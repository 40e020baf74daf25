/// What a query reports.
public enum MetadataQueryEvent: Sendable {
  /// All items that there were are in the results.
  case didFinishGathering
  /// The results have changed.
  case didUpdate(MetadataUpdate)
  /// A directory cannot be read; the query goes on with the others, and looks again. Reported once.
  case didFail(CoordinationError)
}

/// What a query reports, from the moment of asking; first, at once, that it has gathered, if it has.
///
/// Unread updates are merged, so that they take no more memory than the items that they are about. The sequence ends
/// when the query is stopped.
public struct MetadataQueryEvents: AsyncSequence, Sendable {
  let inbox: QueryInbox

  /// Reads the events.
  public struct AsyncIterator: AsyncIteratorProtocol {
    let inbox: QueryInbox
    var signals: AsyncStream<Void>.AsyncIterator

    public mutating func next() async -> MetadataQueryEvent? {
      while true {
        if let event = inbox.next() { return event }
        // The query has been stopped, or the task cancelled.
        guard await signals.next() != nil else { return inbox.next() }
      }
    }
  }

  public func makeAsyncIterator() -> AsyncIterator {
    AsyncIterator(inbox: inbox, signals: inbox.signals.makeAsyncIterator())
  }
}
