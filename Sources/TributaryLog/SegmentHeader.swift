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
/// |     10 |    2 | minor           | 0; a newer one may append bytes to the header         |
/// |     12 |    4 | flags           | 0; unknown flags are rejected                         |
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
/// The content is at most 2 MiB.
public struct SegmentHeader: Hashable, Sendable {
  /// The version of the file's format; writers always write the current one.
  public internal(set) var version: FormatVersion
  public var peer: PeerIdentity
  public var first: SequenceNumber
  public var last: SequenceNumber
  public var firstTime: HybridTime
  public var lastTime: HybridTime
  public var contentName: String
  /// The author's knowledge at the last transaction, without an entry for the author.
  public var knowledge: Knowledge

  /// Makes a header from any values. Writing it fails if the format does not allow them.
  public init(
    peer: PeerIdentity, first: SequenceNumber, last: SequenceNumber, firstTime: HybridTime,
    lastTime: HybridTime, contentName: String, knowledge: Knowledge
  ) {
    version = .current
    self.peer = peer
    self.first = first
    self.last = last
    self.firstTime = firstTime
    self.lastTime = lastTime
    self.contentName = contentName
    self.knowledge = knowledge
  }

  /// A number of bytes that contains any header of reasonable size: the amount to read first.
  public static let suggestedPrefixByteCount = 4096

  /// The largest size of the content of frame 1.
  public static let maximumByteCount = 2 << 20

  /// What the first bytes of a file contain.
  public enum Prefix: Hashable, Sendable {
    /// At least this many bytes from the start of the file are needed.
    case needs(Int)
    /// The header, and the number of bytes that it takes in the file, including its frame.
    case header(SegmentHeader, byteCount: Int)
  }
}
