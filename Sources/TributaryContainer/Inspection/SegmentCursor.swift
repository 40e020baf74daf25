package import TributaryCore
package import TributaryFiles
package import TributaryLog

/// Reads one segment, a transaction at a time.
package final class SegmentCursor {
  package let segment: LogSegment
  /// The transaction that it stands at; `nil` before the first and after the last.
  package private(set) var transaction: TransactionHeader?
  /// The hash of the whole file, once `advance` has returned `false`.
  private(set) var contentHash: UInt64?
  private var reader: SegmentReader<LogFileSource>
  private let hash: ConcurrentHash?

  /// - Parameter hashing: whether the content hash is wanted.
  /// - Throws: `FileError`, `LogError`.
  package init(_ segment: LogSegment, hashing: Bool, _ fileSystem: any FileSystem) throws {
    self.segment = segment
    // Without a thread it is hashed as it is read.
    hash =
      hashing && segment.size >= ConcurrentHash.leastByteCount
      ? try? ConcurrentHash(segment.path, fileSystem) : nil
    reader = try SegmentReader(
      source: LogFileSource(segment.path, fileSystem), hashing: hashing && hash == nil)
  }

  package var peer: PeerIdentity { segment.header.peer }

  /// The order of transactions over all peers. Only where there is a transaction.
  package var stamp: Stamp { Stamp(time: transaction?.time ?? .zero, peer: peer) }

  /// The bytes of the file that were read so far.
  package var byteCount: UInt64 { reader.byteCount }

  /// Goes to the next transaction.
  ///
  /// - Returns: `false` when the file was read to its end and all of it is right.
  package func advance() throws -> Bool {
    transaction = nil
    transaction = try reader.nextTransaction()
    if transaction != nil { return true }
    contentHash = try hash?.finish() ?? reader.contentHash
    return false
  }

  /// The next change of the transaction, borrowed until the next call.
  package func nextChange() throws -> ChangeView? { try reader.nextChange() }

  package func shape(of change: ChangeView) -> TableShape { reader.shape(change.shapeID) }

  /// The shapes that have been defined up to the transaction, by number.
  package var shapes: [UInt32: TableShape] { reader.shapes }

  /// The name of the schema that the transaction was written under.
  package var schema: String { transaction.map { reader.schema($0.schema) } ?? "" }
}
