import TributaryCore

/// The description at the start of a segment: enough to plan an import without decompressing
/// anything.
///
/// The content of frame 1; integers little-endian:
///
/// | Offset | Size | Field           | Meaning                                               |
/// |--------|------|-----------------|-------------------------------------------------------|
/// |      0 |    8 | magic           | "TRIBLOG" and a zero byte                             |
/// |      8 |    2 | major           | format version, 1; any other is rejected              |
/// |     10 |    2 | minor           | 0, or 1 with flag 1; a newer one may append bytes     |
/// |     12 |    4 | flags           | 3 if it has a horizon; unknown flags are rejected     |
/// |     16 |   16 | peer            | who wrote it                                          |
/// |     32 |    8 | first           | sequence of the first transaction                     |
/// |     40 |    8 | last            | sequence of the last transaction                      |
/// |     48 |    8 | first time      | hybrid time of the first transaction                  |
/// |     56 |    8 | last time       | hybrid time of the last transaction                   |
/// |     64 |    2 | name size *n*   | 1 … 4,096                                             |
/// |     66 |  *n* | content name    | UTF-8                                                 |
/// | 66+*n* |    4 | knowledge count | 0 … 65,536                                            |
/// | 70+*n* |   24 | entry, each     | peer (16 bytes), sequence (8); peers ascend           |
///
/// With flag 1 follow the identifier of a declaration (8) and the latest time in its horizon (8). The knowledge is
/// then that of the horizon, with these entries in their place. The content is at most 2 MiB.
package struct SegmentHeader: Hashable, Sendable {
  /// The version of the file's format; writers write the lowest version that can express everything.
  package internal(set) var version: FormatVersion
  package var peer: PeerIdentity
  package var first: SequenceNumber
  package var last: SequenceNumber
  package var firstTime: HybridTime
  package var lastTime: HybridTime
  package var contentName: String
  /// The author's knowledge at the last transaction, without an entry for the author; with a horizon, only
  /// the part above it.
  package var knowledge: Knowledge
  /// The declaration above whose horizon all knowledge in the segment is given; `nil` if the knowledge is
  /// complete.
  package var horizon: SegmentHorizon? { didSet { version = Self.version(horizon) } }

  /// Makes a header from any values. Writing it fails if the format does not allow them.
  package init(
    peer: PeerIdentity, first: SequenceNumber, last: SequenceNumber, firstTime: HybridTime,
    lastTime: HybridTime, contentName: String, knowledge: Knowledge,
    horizon: SegmentHorizon? = nil
  ) {
    version = Self.version(horizon)
    self.peer = peer
    self.first = first
    self.last = last
    self.firstTime = firstTime
    self.lastTime = lastTime
    self.contentName = contentName
    self.knowledge = knowledge
    self.horizon = horizon
  }

  private static func version(_ horizon: SegmentHorizon?) -> FormatVersion {
    FormatVersion(major: 1, minor: horizon == nil ? 0 : 1)
  }

  /// Returns everything that the author knew at the last transaction.
  ///
  /// - Parameter horizon: the horizon of the declaration that the segment names; empty if it names none.
  /// - Throws: `malformed` if the header lists entries that the horizon has.
  package func knowledge(above horizon: Knowledge) throws(LogError) -> Knowledge {
    if horizon.isEmpty { return knowledge }
    var whole = horizon
    whole[peer] = .zero
    for entry in knowledge.entries {
      guard entry.sequence > whole[entry.peer] else {
        throw LogError(
          .malformed, "the knowledge of \(entry.peer) is not above the horizon of the segment",
          at: 70 + UInt64(contentName.utf8.count))
      }
      whole[entry.peer] = entry.sequence
    }
    guard whole.count <= LogFormat.maximumKnowledgeCount else {
      throw LogError(.limitExceeded, "a version vector of \(whole.count) peers", at: 66)
    }
    return whole
  }

  /// A number of bytes that contains any header of reasonable size: the amount to read first.
  package static let suggestedPrefixByteCount = 4096

  /// The largest size of the content of frame 1.
  package static let maximumByteCount = 2 << 20

  /// What the first bytes of a file contain.
  package enum Prefix: Hashable, Sendable {
    /// At least this many bytes from the start of the file are needed.
    case needs(Int)
    /// The header, and the number of bytes that it takes in the file, including its frame.
    case header(SegmentHeader, byteCount: Int)
  }
}
