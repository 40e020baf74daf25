/// What was found out and can be found out again, up to a number of entries.
///
/// Where more are asked for in turn than there is room for, a part of them is still remembered: when it is full, an
/// arbitrary half goes, not all.
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

  /// Returns what is remembered; `nil` if it is to be found out.
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
