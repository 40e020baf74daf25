import TributaryCore
import TributaryHorizon

/// The description at the start of a baseline: what its writer had imported and written.
///
/// The content of frame 1; integers little-endian:
///
/// | Offset | Size | Field           | Meaning                                                        |
/// |--------|------|-----------------|----------------------------------------------------------------|
/// |      0 |    8 | magic           | "TRIBBAS" and a zero byte                                      |
/// |      8 |    2 | major           | format version, 1; any other is rejected                       |
/// |     10 |    2 | minor           | 0, or 1 with a flag; a newer one may append bytes to the header |
/// |     12 |    4 | flags           | 1 if it declares a horizon, 4 if it lacks tables; others are rejected |
/// |     16 |   16 | peer            | who wrote it                                                   |
/// |     32 |    8 | sequence        | the writer's last transaction in it, 0 if there is none        |
/// |     40 |    8 | database size   | bytes of the database in frame 2                               |
/// |     48 |    2 | name size *n*   | 1 … 4,096                                                      |
/// |     50 |  *n* | content name    | UTF-8                                                          |
/// | 50+*n* |    4 | entry count     | 0 … 65,536                                                     |
/// | 54+*n* |   32 | entry, each     | peer (16), its last transaction (8) and its time (8); ascending |
///
/// With flag 1 follow the weight of the declaration (8), the number of its members (4), and each of them (16),
/// ascending. With flag 4 follow how tables are named (1): 1 if those that it has, 2 if those that it lacks; their
/// number (4), and of each the size (2) and the name (UTF-8), ascending. The content is at most 4 MiB.
package struct BaselineHeader: Hashable, Sendable {
  /// The version of the file's format; writers always write the current one.
  package internal(set) var version: FormatVersion
  package var peer: PeerIdentity
  package var databaseSize: UInt64
  package var contentName: String
  /// The transactions whose effects are in the baseline: for each peer, all up to the given one.
  package var entries: [Entry]
  /// The declaration whose horizon consists of these transactions; `nil` if the baseline declares nothing.
  package var declaration: Declaration?
  /// The tables in the baseline, which are those that its writer replicated.
  package var tables: TableSelection

  /// The last transaction of a peer in a baseline.
  package struct Entry: Hashable, Sendable {
    package var peer: PeerIdentity
    package var sequence: SequenceNumber
    package var time: HybridTime

    package init(peer: PeerIdentity, sequence: SequenceNumber, time: HybridTime) {
      self.peer = peer
      self.sequence = sequence
      self.time = time
    }
  }

  /// Makes a header from any values. Writing it fails if the format does not allow them.
  package init(
    peer: PeerIdentity, databaseSize: UInt64, contentName: String, entries: [Entry],
    declaration: Declaration? = nil, tables: TableSelection = .all
  ) {
    version = FormatVersion(major: 1, minor: declaration == nil && tables == .all ? 0 : 1)
    self.peer = peer
    self.databaseSize = databaseSize
    self.contentName = contentName
    self.entries = entries
    self.declaration = declaration
    self.tables = tables
  }

  /// The writer's last transaction in it; zero if there is none.
  package var sequence: SequenceNumber { entries.first { $0.peer == peer }?.sequence ?? .zero }

  /// The number of transactions whose effects are in the baseline.
  package var transactionCount: UInt64 {
    entries.reduce(0) { $0.addingReportingOverflow($1.sequence.rawValue).partialValue }
  }

  /// The newest version that this library knows. It writes the lowest version that can express everything.
  static let currentVersion = FormatVersion(major: 1, minor: 1)

  /// The flag of a baseline that declares a horizon.
  static let declares: UInt32 = 1

  /// The flag of a baseline that lacks tables.
  static let lacksTables: UInt32 = 4

  /// The largest size of the content of frame 1.
  static let maximumByteCount = 4 << 20

  /// The first bytes of the header: "TRIBBAS" and a zero.
  static let frame = HeaderFrame(
    magic: [0x54, 0x52, 0x49, 0x42, 0x42, 0x41, 0x53, 0x00], word: "TRIBBAS",
    version: currentVersion, maximumByteCount: maximumByteCount)
}
