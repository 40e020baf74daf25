/// A committed transaction in the write-ahead log, by the pages that it has written.
package struct LoggedTransaction {
  /// The numbers of the pages, in the order in which they were written; a page may occur more than once.
  package let pages: [UInt32]
  private let connection: Connection
  private let head: LogHead
  private let first: UInt32

  fileprivate init(
    _ pages: [UInt32], first: UInt32, _ head: LogHead, _ connection: Connection
  ) {
    self.pages = pages
    self.first = first
    self.head = head
    self.connection = connection
  }

  /// The state of a page of a table after the transaction.
  package enum TablePage: Equatable {
    /// The transaction has not written the page.
    case unwritten
    /// The page has rows, or is not a page of a table.
    case leaf
    /// The page points to others; the last rows are below page `last`.
    case interior(last: UInt32)
  }

  /// Returns the state, after the transaction, of a page other than the first page of the file.
  ///
  /// - Complexity: O(number of written pages)
  ///
  /// Source: https://www.sqlite.org/fileformat2.html#b_tree_pages
  package func tablePage(_ number: UInt32) -> TablePage {
    guard let position = pages.lastIndex(of: number) else { return .unwritten }
    let start = connection.frameOffset(first + UInt32(position), head) + 24
    guard connection.readLog(start, UInt8.self) == 5,
      let last = connection.readLog(start + 8, UInt32.self)
    else { return .leaf }
    return .interior(last: UInt32(bigEndian: last))
  }
}

extension Connection {
  /// Passes on the transactions that were committed between a place and the end of the log, in order.
  ///
  /// - Returns: whether the place is in this log, and the log can be read from there to its end.
  package func forEachTransaction(
    from place: LogPlace, to head: LogHead, _ body: (LoggedTransaction) -> Void
  ) -> Bool {
    guard place.isInLog(of: head.place), place.frame <= head.frame else { return false }
    var frame = place.frame
    while frame < head.frame {
      let first = frame
      var pages: [UInt32] = []
      var isLast = false
      while !isLast {
        guard frame < head.frame, let words = readLog(frameOffset(frame, head), UInt64.self) else {
          return false
        }
        let big = UInt64(bigEndian: words)
        pages.append(UInt32(truncatingIfNeeded: big >> 32))
        // Only the last frame of a transaction contains the size of the database after it.
        isLast = UInt32(truncatingIfNeeded: big) != 0
        frame += 1
      }
      while frame < head.frame, isRepeated(frame - 1, head) { frame += 1 }
      body(LoggedTransaction(pages, first: first, head, self))
    }
    return true
  }

  /// Returns the place of the beginning of the log that ends there.
  package func beginning(of head: LogHead) -> LogPlace { LogPlace(salts: head.salts, frame: 0) }

  /// Whether any of these pages belongs to one of these tables.
  ///
  /// - Returns: `nil` if this SQLite cannot tell, because it was built without `dbstat`.
  /// - Complexity: reads the tables.
  ///
  /// Source: https://www.sqlite.org/dbstat.html
  package func ownsAny(of pages: Set<UInt32>, _ tables: [String]) throws(SQLiteError) -> Bool? {
    guard try integer("SELECT sqlite_compileoption_used('ENABLE_DBSTAT_VTAB')") == 1 else {
      return nil
    }
    let statement = try cached("SELECT pageno FROM dbstat('main') WHERE name = ?")
    defer { statement.reset() }
    for table in tables {
      statement.reset()
      try statement.bind([.string(table)])
      while try statement.step() {
        if pages.contains(UInt32(truncatingIfNeeded: statement.integer(0))) { return true }
      }
    }
    return false
  }
}
