/// A cache of results that can be computed again, up to a number of entries.
///
/// When it is full, it drops an arbitrary half of the entries rather than all of them. So if more entries are
/// requested in turn than fit, some of them are still remembered.
package struct LimitedMemory<Key: Hashable, Value> {
  @usableFromInline var entries: [Key: Value] = [:]
  private let limit: Int

  /// - Parameter limit: the largest number of entries; at least 2.
  package init(limit: Int) {
    precondition(limit >= 2)
    self.limit = limit
  }

  /// The number of entries.
  package var count: Int { entries.count }

  /// Returns the remembered value; `nil` if there is none.
  @inlinable
  package subscript(key: Key) -> Value? { entries[key] }

  /// Remembers a value. Amortised O(1).
  package mutating func note(_ value: Value, for key: Key) {
    if entries.count >= limit, entries[key] == nil {
      // Dictionaries have no order of their own.
      entries = Dictionary(
        entries.dropFirst(entries.count / 2).lazy.map { ($0.key, $0.value) },
        uniquingKeysWith: { first, _ in first })
    }
    entries[key] = value
  }
}

extension LimitedMemory: Sendable where Key: Sendable, Value: Sendable {}
