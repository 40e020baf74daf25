package import TributaryContainer
package import TributaryCore
package import TributaryFiles
package import TributaryLog

/// Reads one segment, one transaction at a time.
package final class SegmentCursor {
  package let path: String
  /// The author of all its transactions.
  package let peer: PeerIdentity
  /// The current transaction; `nil` before the first and after the last.
  @exclusivity(unchecked) package private(set) var transaction: TransactionHeader?
  /// The hash of the whole file if it is not the one in its name; set once `advance` has returned `false`.
  private(set) var wrongHash: UInt64?
  // Only this class accesses it, and nothing that it calls comes back here.
  @exclusivity(unchecked) private var reader: SegmentReader<LogFileSource>
  private let hashed: HashedAhead?
  /// The name of a schema, which usually is that of the next transactions too.
  @exclusivity(unchecked) private var named: (number: UInt32, name: String)?

  /// Opens a segment.
  ///
  /// - Parameter hashing: whether to compare the content hash with the name.
  /// - Parameter horizons: the horizons that are known without the baselines beside the segment.
  /// - Throws: `FileError`, `LogError`.
  package init(
    _ path: String, hashing: Bool = false, horizons: KnownHorizons = KnownHorizons(),
    _ fileSystem: any FileSystem
  ) throws {
    self.path = path
    let file = try fileSystem.open(path)
    hashed = hashing ? HashedAhead(file) : nil
    let source = LogFileSource(hashed ?? file)
    reader = try SegmentReader(source: source, hashing: hashing && hashed == nil) {
      horizons.horizon($0, ofSegment: path, using: fileSystem)
    }
    peer = reader.header.peer
  }

  package var header: SegmentHeader { reader.header }

  /// The declaration above whose horizon the segment is written, if that is not known; the knowledge of its
  /// transactions then includes only what is above the horizon.
  package var unknownHorizon: UInt64? {
    reader.isResolved ? nil : reader.header.horizon?.declaration
  }

  /// The stamp of the current transaction, for the order over all peers; meaningful only if there is a
  /// current transaction.
  package var stamp: Stamp { Stamp(time: transaction?.time ?? .zero, peer: peer) }

  /// The number of bytes of the file read so far.
  var byteCount: UInt64 { reader.byteCount }

  /// Advances to the next transaction.
  ///
  /// - Returns: `false` if the file was read to its end and is correct.
  package func advance() throws -> Bool {
    transaction = nil
    transaction = try reader.nextTransaction()
    if transaction != nil { return true }
    if let found = hashed?.takeHash() ?? reader.contentHash,
      let name = SegmentName(path.lastPathComponent), found != name.hash
    {
      wrongHash = found
    }
    return false
  }

  /// Returns the next change of the transaction, borrowed until the next call.
  package func nextChange() throws -> ChangeView? { try reader.nextChange() }

  /// Releases the memory that a large change took.
  func trim() { reader.trim() }

  package func shape(_ id: UInt32) -> TableShape { reader.shape(id) }

  /// The shapes defined up to the current transaction, by number.
  package var shapes: [UInt32: TableShape] { reader.shapes }

  /// The name of the schema under which the transaction was written.
  package var schema: String {
    guard let number = transaction?.schema else { return "" }
    if let named, named.number == number { return named.name }
    let name = reader.schema(number)
    named = (number, name)
    return name
  }
}
