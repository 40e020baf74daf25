package import TributaryCore
package import TributaryLog
internal import TributaryReplay

/// A transaction that is being read, and those of its changes that were requested.
package struct LogTransaction {
  package let header: TransactionHeader
  private let cursor: SegmentCursor
  private let filter: TransactionFilter

  /// Makes the transaction.
  ///
  /// - Precondition: the cursor stands at the transaction.
  init(_ header: TransactionHeader, _ cursor: SegmentCursor, _ filter: TransactionFilter) {
    self.header = header
    self.cursor = cursor
    self.filter = filter
  }

  package var peer: PeerIdentity { cursor.peer }

  /// The content name of the log.
  package var contentName: String { cursor.header.contentName }

  /// The declaration above whose horizon the author's knowledge is given, if no baseline beside the log has
  /// that declaration; `nil` if the knowledge is complete.
  package var unknownHorizon: UInt64? { cursor.unknownHorizon }

  /// The name of the schema under which it was written.
  package var schema: String { cursor.schema }

  /// Whether some of its changes may be left out, perhaps all of them.
  package var isSelected: Bool { filter.selectsChanges }

  /// Returns the next requested change, borrowed until the next call, and the shape of its table.
  ///
  /// - Throws: `LogError`, `FileError`: rethrow them to the caller that passed in the transaction.
  package func nextChange() throws -> (change: ChangeView, shape: TableShape)? {
    while let change = try cursor.nextChange() {
      let shape = cursor.shape(change.shapeID)
      if !filter.selectsChanges { return (change, shape) }
      if try filter.includes(change, shape, in: contentName) { return (change, shape) }
    }
    return nil
  }
}
