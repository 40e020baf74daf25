import Glibc

/// A cache of prepared statements. Beyond `limit`, it removes the least recently used ones.
///
/// A removed statement stays valid while it is referenced, and is finalized with its last reference.
struct StatementCache {
  static let limit = 256

  private var statements: [SQLText: Statement] = [:]
  private var uses: UInt64 = 0

  /// Returns the cached statement for a text.
  ///
  /// - Complexity: O(length of `sql`).
  mutating func statement(_ sql: String) -> Statement? {
    guard let statement = statements[SQLText(sql)] else { return nil }
    use(statement)
    return statement
  }

  /// Keeps a statement for reuse.
  ///
  /// - Complexity: O(`limit`) if another statement must be removed.
  mutating func keep(_ statement: Statement, for sql: String) {
    if statements.count >= Self.limit,
      let oldest = statements.min(by: { $0.value.lastUse < $1.value.lastUse })
    {
      statements[oldest.key] = nil
    }
    use(statement)
    statements[SQLText(sql)] = statement
  }

  private mutating func use(_ statement: Statement) {
    uses += 1
    statement.lastUse = uses
  }

  mutating func finalizeAll() {
    for statement in statements.values { statement.finalize() }
    statements.removeAll()
  }
}

/// A statement's text, compared by its bytes: `String` considers canonically equivalent names
/// equal.
private struct SQLText: Hashable {
  let text: String

  init(_ text: String) { self.text = text }

  static func == (a: SQLText, b: SQLText) -> Bool {
    // Most texts are contiguous and are compared in one step, since each use of a statement compares its
    // text.
    let isSame = a.text.utf8.withContiguousStorageIfAvailable { a in
      b.text.utf8.withContiguousStorageIfAvailable { b in
        guard let first = a.baseAddress, let second = b.baseAddress else {
          return a.count == b.count
        }
        return a.count == b.count && memcmp(first, second, a.count) == 0
      }
    }
    return (isSame ?? nil) ?? a.text.utf8.elementsEqual(b.text.utf8)
  }

  func hash(into hasher: inout Hasher) {
    var text = text
    text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
  }
}
