package import TributaryCore
package import TributaryLog

/// Which transactions and changes are wanted.
package struct TransactionFilter: Sendable {
  /// In lower-case hexadecimal digits; none means all peers.
  package var peerPrefixes: [String] = []
  /// None means all tables.
  package var tables: [String] = []
  /// None means all rows.
  package var keys: [KeyFilter] = []
  package var sequences: ClosedRange<SequenceNumber> = .zero ... .max
  /// Milliseconds since 1970.
  package var times: ClosedRange<UInt64> = 0...HybridTime.maximumMilliseconds

  /// Lets everything pass.
  package init() {}

  /// Whether some changes of a transaction may be left out.
  package var selectsChanges: Bool { !tables.isEmpty || !keys.isEmpty }

  /// Whether a segment may hold something that is wanted.
  package func includes(_ header: SegmentHeader) -> Bool {
    includes(header.peer) && sequences.overlaps(header.first...header.last)
      && times.overlaps(header.firstTime.milliseconds...header.lastTime.milliseconds)
  }

  package func includes(_ transaction: TransactionHeader) -> Bool {
    sequences.contains(transaction.sequence) && times.contains(transaction.time.milliseconds)
  }

  /// By the rule of SQLite for names.
  package func includes(table: String) -> Bool {
    tables.isEmpty || tables.contains { SQLName($0) == SQLName(table) }
  }

  /// Whether a change is of a table and a row that are wanted.
  ///
  /// - Throws: `LogError` for an image that does not fit the shape.
  package func includes(_ change: ChangeView, _ shape: TableShape) throws -> Bool {
    guard includes(table: shape.table) else { return false }
    guard !keys.isEmpty else { return true }
    return includes(key: try DecodedChange.key(of: change, shape), shape)
  }

  /// Whether a row is wanted.
  package func includes(table: String, key: [Value], _ shape: TableShape) -> Bool {
    includes(table: table) && includes(key: key, shape)
  }

  private func includes(key: [Value], _ shape: TableShape) -> Bool {
    keys.isEmpty || keys.contains { $0.includes(key, shape.keys.map(\.collation)) }
  }

  package func includes(_ peer: PeerIdentity) -> Bool {
    guard !peerPrefixes.isEmpty else { return true }
    let digits = peer.description
    return peerPrefixes.contains { digits.hasPrefix($0) }
  }
}
