/// Statements kept prepared; of more than `limit` those go first that were used longest ago.
///
/// A statement that goes while somebody holds it stays valid, and is finalized with the last reference.
struct StatementCache {
  static let limit = 256

  private var statements: [SQLText: Statement] = [:]
  private var uses: UInt64 = 0

  /// The statement that is kept for a text.
  ///
  /// - Complexity: O(length of `sql`).
  mutating func statement(_ sql: String) -> Statement? {
    guard let statement = statements[SQLText(sql)] else { return nil }
    use(statement)
    return statement
  }

  /// Keeps a statement for the next time.
  ///
  /// - Complexity: O(`limit`) when another one has to go.
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

/// A statement's text, compared by its bytes: `String` takes canonically equivalent names for one.
private struct SQLText: Hashable {
  let text: String

  init(_ text: String) { self.text = text }

  static func == (a: SQLText, b: SQLText) -> Bool { a.text.utf8.elementsEqual(b.text.utf8) }

  func hash(into hasher: inout Hasher) {
    var text = text
    text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
  }
}
