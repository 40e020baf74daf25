import TributaryCore

/// Reads a segment from a source, in one pass and in bounded memory, whatever the bytes are.
///
///     while let transaction = try reader.nextTransaction() {
///       while let change = try reader.nextChange() { … }
///     }
///
/// Everything is checked: the rules of the format before something is handed out, the checksums of
/// the file as a whole when `nextTransaction()` returns `nil`. Until then nothing that was read may
/// be kept for good. After a ``LogError`` every call throws it again; after an error of the source,
/// reading may go on.
public struct SegmentReader<Source: ByteSource & ~Copyable>: ~Copyable {
  private var decoder: SegmentDecoder
  private var source: Source

  /// Reads and checks the header. Its checksum is compared only at the end of the file.
  ///
  /// - Parameter hashing: whether to compute `contentHash` on the way.
  /// - Throws: ``LogError``; what the source throws.
  public init(
    source: consuming Source, limits: SegmentLimits = SegmentLimits(), hashing: Bool = false
  ) throws {
    var source = source
    var input = InputBuffer(hashing: hashing)
    while true {
      switch try SegmentHeader.read(prefix: input.bytes) {
      case .header(let header, let byteCount):
        decoder = try SegmentDecoder.make(
          header: header, byteCount: byteCount, input: input, limits: limits)
        self.source = source
        return
      case .needs:
        guard !input.hasEnded else {
          throw LogError(
            .truncated, "the file ends inside its header", at: input.received, in: .file)
        }
        try input.fill { try source.read(into: $0) }
      }
    }
  }

  public var header: SegmentHeader { decoder.header }

  /// The content hash, as in the file's name; `nil` before `nextTransaction()` has returned `nil`,
  /// or when it was not asked for.
  public var contentHash: UInt64? { decoder.contentHash }

  /// The bytes of the file that were read so far.
  public var byteCount: UInt64 { decoder.input.received }

  /// The bytes of payload that were handed out so far.
  public var payloadOffset: UInt64 { decoder.window.offset }

  /// The transactions so far.
  public var recordCount: UInt64 { decoder.found.recordCount }

  /// The row changes of the transactions that were read to their end.
  public var changeCount: UInt64 { decoder.found.changeCount }

  /// The most memory that the buffers had, in bytes.
  package var peakBufferByteCount: Int { decoder.peak }

  /// The next transaction; changes left over of the one before are passed by.
  ///
  /// - Returns: `nil` when the file was read to its end and all of it is right.
  /// - Throws: ``LogError``; what the source throws.
  public mutating func nextTransaction() throws -> TransactionHeader? {
    while true {
      switch try decoder.nextTransaction() {
      case .item(let transaction): return transaction
      case .end: return nil
      case .needsInput: try fill()
      }
    }
  }

  /// The next change of the transaction, borrowed until the next call of anything here.
  ///
  /// - Returns: `nil` at the end of the transaction, and before the first.
  /// - Throws: ``LogError``; what the source throws.
  public mutating func nextChange() throws -> ChangeView? {
    while true {
      switch try decoder.nextChange() {
      case .item(let change): return change
      case .end: return nil
      case .needsInput: try fill()
      }
    }
  }

  /// Gives the memory back that a large change took; the change is not valid any more.
  public mutating func trim() { decoder.window.trim() }

  /// The shape of a change that this reader handed out.
  ///
  /// - Precondition: the shape is defined.
  public func shape(_ id: UInt32) -> TableShape { decoder.shape(id) }

  /// The shapes that have been defined so far, by number.
  package var shapes: [UInt32: TableShape] { decoder.shapes }

  /// The counts of a shape, faster than the shape itself; `nil` when it is not defined.
  public func layout(of id: UInt32) -> ShapeLayout? { decoder.layouts[id] }

  /// The name of the schema of a transaction that this reader handed out.
  ///
  /// - Precondition: the schema is defined.
  public func schema(_ id: UInt32) -> String {
    guard let name = decoder.schemas[id] else { preconditionFailure("schema \(id) is not defined") }
    return name
  }

  private mutating func fill() throws {
    try decoder.receive { try source.read(into: $0) }
  }
}

extension SegmentReader: Sendable where Source: Sendable & ~Copyable {}
