internal import TributaryContainer
package import TributaryCore
package import TributaryLog

/// A transaction that is being read, and those of its changes that are wanted.
package struct LogTransaction {
  package let header: TransactionHeader
  private let cursor: SegmentCursor
  private let filter: TransactionFilter

  /// - Precondition: the cursor stands at the transaction.
  init(_ header: TransactionHeader, _ cursor: SegmentCursor, _ filter: TransactionFilter) {
    self.header = header
    self.cursor = cursor
    self.filter = filter
  }

  package var peer: PeerIdentity { cursor.peer }

  /// The name of the schema that it was written under.
  package var schema: String { cursor.schema }

  /// Whether some of its changes may be left out, perhaps all of them.
  package var isSelected: Bool { filter.selectsChanges }

  /// The next change that is wanted, borrowed until the next call, and the shape of its table.
  ///
  /// - Throws: `LogError`, `FileError`: let them pass to the one who lent the transaction.
  package func nextChange() throws -> (change: ChangeView, shape: TableShape)? {
    while let change = try cursor.nextChange() {
      let shape = cursor.shape(of: change)
      if try filter.includes(change, shape) { return (change, shape) }
    }
    return nil
  }
}
