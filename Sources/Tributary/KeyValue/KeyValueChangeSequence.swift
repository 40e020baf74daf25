public import TributaryKeyValue

/// The changes of a key-value store that this process did not make, from the moment you ask for them.
///
/// When more than 4 MB of them are unread, further ones are merged into the last one. The sequence ends when the store
/// is closed.
public struct KeyValueChangeSequence: AsyncSequence, Sendable {
  let listening: Listening<KeyValueChange>

  public struct AsyncIterator: AsyncIteratorProtocol {
    var base: Listening<KeyValueChange>.AsyncIterator

    public mutating func next() async -> KeyValueChange? { await base.next() }
  }

  public func makeAsyncIterator() -> AsyncIterator {
    AsyncIterator(base: listening.makeAsyncIterator())
  }
}

extension KeyValueChange: Accumulating {
  package var byteCount: Int { changedKeys.reduce(64) { $0 + 32 + $1.utf8.count } }

  package mutating func append(_ later: KeyValueChange) {
    // A change that is more than an ordinary one must not be lost among ordinary ones.
    self = KeyValueChange(
      reason: later.reason == .serverChange ? reason : later.reason,
      changedKeys: changedKeys + later.changedKeys)
  }
}
