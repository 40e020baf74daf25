internal import TributaryContainer
package import TributaryCore
package import TributaryLog
package import TributaryReplay

/// A selection of transactions and changes.
package struct TransactionFilter: Sendable {
  /// The first lower-case hexadecimal digits of peers; none means all peers.
  package var peerPrefixes: [String] = []
  /// The tables, each by any name that it has had; none means all tables.
  package var tables: [String] = []
  /// The keys; none means all rows.
  package var keys: [KeyFilter] = []
  package var sequences: ClosedRange<SequenceNumber> = .zero ... .max
  /// The times, in milliseconds since 1970.
  package var times: ClosedRange<UInt64> = 0...HybridTime.maximumMilliseconds
  private var former = FormerNames()
  /// By content name with renamings: all names of the tables.
  private var names: [String: Set<SQLName>] = [:]

  /// Makes a filter that accepts everything.
  package init() {}

  /// Whether some changes of a transaction may be left out.
  package var selectsChanges: Bool { !tables.isEmpty || !keys.isEmpty }

  /// Whether a segment may contain anything that is accepted.
  package func includes(_ header: SegmentHeader) -> Bool {
    includes(header.peer) && sequences.overlaps(header.first...header.last)
      && times.overlaps(header.firstTime.milliseconds...header.lastTime.milliseconds)
  }

  package func includes(_ transaction: TransactionHeader) -> Bool {
    sequences.contains(transaction.sequence) && times.contains(transaction.time.milliseconds)
  }

  /// Whether something that a baseline stands for may be accepted.
  package func reachesBeneath(_ baseline: LogBaseline) -> Bool {
    times.lowerBound <= baseline.time.milliseconds
      && baseline.horizon.entries.contains {
        includes($0.peer) && $0.sequence >= sequences.lowerBound
      }
  }

  /// Makes the filter accept a table under all names that the peers of logs state. Without tables, nothing is
  /// read.
  package mutating func followNames(beside logs: [PeerLog]) {
    if tables.isEmpty { return }
    former = FormerNames(beside: logs)
    settleNames()
  }

  /// Makes the filter also accept a table under all names that a peer states.
  mutating func followNames(_ schema: ManifestSchema, content: String) {
    if tables.isEmpty || schema.names.isEmpty { return }
    former.add(schema, content: content)
    settleNames()
  }

  private mutating func settleNames() {
    names = [:]
    for content in former.contents {
      names[content] = tables.reduce(into: Set()) {
        $0.formUnion(former.names(ofTable: $1, in: content))
      }
    }
  }

  /// Whether a table is accepted, comparing names as SQLite does.
  ///
  /// - Parameter content: the content name of the log or store.
  package func includes(table: String, in content: String) -> Bool {
    if tables.isEmpty || tables.contains(where: { SQLName($0) == SQLName(table) }) { return true }
    return !names.isEmpty && names[content]?.contains(SQLName(table)) ?? false
  }

  /// Whether a change is of an accepted table and row.
  ///
  /// - Parameter content: the content name of the log.
  /// - Throws: `LogError` for an image that does not fit the shape.
  package func includes(
    _ change: ChangeView, _ shape: TableShape, in content: String
  ) throws -> Bool {
    guard includes(table: shape.table, in: content) else { return false }
    guard !keys.isEmpty else { return true }
    return includes(key: try DecodedChange.key(of: change, shape), shape)
  }

  /// Whether a row is accepted.
  func includes(table: String, key: [Value], _ shape: TableShape, in content: String) -> Bool {
    includes(table: table, in: content) && includes(key: key, shape)
  }

  private func includes(key: [Value], _ shape: TableShape) -> Bool {
    keys.isEmpty || keys.contains { $0.includes(key, shape.keys.map(\.collation)) }
  }

  /// Returns what may be the first digits of a peer, in lower case; `nil` for anything else.
  package static func peerPrefix(_ text: String) -> String? {
    let digits = text.lowercased()
    let isHex = digits.utf8.allSatisfy {
      (0x30...0x39).contains($0) || (0x61...0x66).contains($0)
    }
    return isHex && (1...32).contains(digits.utf8.count) ? digits : nil
  }

  package func includes(_ peer: PeerIdentity) -> Bool {
    guard !peerPrefixes.isEmpty else { return true }
    let digits = peer.description
    return peerPrefixes.contains { digits.hasPrefix($0) }
  }
}
