package import TributaryCore
package import TributaryFiles
package import TributaryLog

/// Reads one segment, a transaction at a time.
package final class SegmentCursor {
  package let segment: LogSegment
  /// The present transaction; `nil` before the first and after the last.
  package private(set) var transaction: TransactionHeader?
  /// The hash of the whole file, once `advance` has returned `false`.
  private(set) var contentHash: UInt64?
  private var reader: SegmentReader<LogFileSource>
  private let hash: ConcurrentHash?

  /// Opens a segment.
  ///
  /// - Parameter hashing: whether to compute the content hash.
  /// - Throws: `FileError`, `LogError`.
  package init(_ segment: LogSegment, hashing: Bool, _ fileSystem: any FileSystem) throws {
    self.segment = segment
    // Without a thread, the file is hashed as it is read.
    hash =
      hashing && segment.size >= ConcurrentHash.leastByteCount
      ? try? ConcurrentHash(segment.path, fileSystem) : nil
    reader = try SegmentReader(
      source: LogFileSource(segment.path, fileSystem), hashing: hashing && hash == nil)
  }

  package var peer: PeerIdentity { segment.header.peer }

  /// The stamp of the present transaction, for the order over all peers; meaningful only if there
  /// is one.
  package var stamp: Stamp { Stamp(time: transaction?.time ?? .zero, peer: peer) }

  /// The number of bytes of the file read so far.
  package var byteCount: UInt64 { reader.byteCount }

  /// Advances to the next transaction.
  ///
  /// - Returns: `false` if the file was read to its end and is correct.
  package func advance() throws -> Bool {
    transaction = nil
    transaction = try reader.nextTransaction()
    if transaction != nil { return true }
    contentHash = try hash?.finish() ?? reader.contentHash
    return false
  }

  /// Returns the next change of the transaction, borrowed until the next call.
  package func nextChange() throws -> ChangeView? { try reader.nextChange() }

  package func shape(of change: ChangeView) -> TableShape { reader.shape(change.shapeID) }

  /// The shapes defined up to the present transaction, by number.
  package var shapes: [UInt32: TableShape] { reader.shapes }

  /// The name of the schema under which the transaction was written.
  package var schema: String { transaction.map { reader.schema($0.schema) } ?? "" }
}
