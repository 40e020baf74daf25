import TributaryCore

/// Reads a segment from a source, in one pass and in bounded memory, whatever the bytes are.
///
///     while let transaction = try reader.nextTransaction() {
///       while let change = try reader.nextChange() { … }
///     }
///
/// Everything is checked: the rules of the format before anything is returned, and the checksums of the whole
/// file when `nextTransaction()` returns `nil`. Until then, the caller must not keep anything permanently.
/// After a ``LogError``, every call throws it again; after an error of the source, reading may continue.
package struct SegmentReader<Source: ByteSource & ~Copyable>: ~Copyable {
  private var decoder: SegmentDecoder
  private var source: Source

  /// Reads and checks the header. Its checksum is checked only at the end of the file.
  ///
  /// - Parameter hashing: whether to compute `contentHash` while reading.
  /// - Parameter horizons: returns the horizon of the declaration that the segment names; `nil` if it is not known.
  /// - Throws: ``LogError``; what the source throws.
  package init(
    source: consuming Source, limits: SegmentLimits = SegmentLimits(), hashing: Bool = false,
    horizons: (SegmentHorizon) -> Knowledge? = { _ in nil }
  ) throws {
    var source = source
    var input = InputBuffer(hashing: hashing)
    while true {
      switch try SegmentHeader.read(prefix: input.bytes) {
      case .header(let header, let byteCount):
        decoder = try SegmentDecoder.make(
          header: header, byteCount: byteCount, input: input, limits: limits,
          horizon: header.horizon.flatMap { horizons($0) })
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

  package var header: SegmentHeader { decoder.header }

  /// Whether transactions have everything that their authors knew. Otherwise the segment names an unknown
  /// declaration, and they have only what is above its horizon.
  package var isResolved: Bool { decoder.isResolved }

  /// The content hash, as in the file's name; `nil` before `nextTransaction()` has returned `nil`,
  /// or if it was not requested.
  package var contentHash: UInt64? { decoder.contentHash }

  /// The number of bytes of the file read so far.
  package var byteCount: UInt64 { decoder.input.received }

  /// The number of bytes of payload returned so far.
  package var payloadOffset: UInt64 { decoder.window.offset }

  /// The number of transactions so far.
  package var recordCount: UInt64 { decoder.found.recordCount }

  /// The number of row changes of the transactions that were read to their end.
  package var changeCount: UInt64 { decoder.found.changeCount }

  /// The largest amount of memory that the buffers used, in bytes.
  package var peakBufferByteCount: Int { decoder.peak }

  /// Returns the next transaction, skipping the remaining changes of the one before.
  ///
  /// - Returns: `nil` if the file was read to its end and is correct.
  /// - Throws: ``LogError``; what the source throws.
  package mutating func nextTransaction() throws -> TransactionHeader? {
    while true {
      switch try decoder.nextTransaction() {
      case .item(let transaction): return transaction
      case .end: return nil
      case .needsInput: try fill()
      }
    }
  }

  /// Returns the next change of the transaction, borrowed until the next call of any method.
  ///
  /// - Returns: `nil` at the end of the transaction, and before the first.
  /// - Throws: ``LogError``; what the source throws.
  package mutating func nextChange() throws -> ChangeView? {
    while true {
      switch try decoder.nextChange() {
      case .item(let change): return change
      case .end: return nil
      case .needsInput: try fill()
      }
    }
  }

  /// Releases the memory that a large change took. The change is no longer valid.
  package mutating func trim() { decoder.window.trim() }

  /// Returns the shape of a change that this reader returned.
  ///
  /// - Precondition: the shape is defined.
  package func shape(_ id: UInt32) -> TableShape { decoder.shape(id) }

  /// The shapes defined so far, by number.
  package var shapes: [UInt32: TableShape] { decoder.shapes }

  /// Returns the counts of a shape, faster than the shape itself; `nil` if it is not defined.
  package func layout(of id: UInt32) -> ShapeLayout? { decoder.layouts[id] }

  /// Returns the name of the schema of a transaction that this reader returned.
  ///
  /// - Precondition: the schema is defined.
  package func schema(_ id: UInt32) -> String {
    guard let name = decoder.schemas[id] else { preconditionFailure("schema \(id) is not defined") }
    return name
  }

  private mutating func fill() throws {
    try decoder.receive { try source.read(into: $0) }
  }
}

extension SegmentReader: Sendable where Source: Sendable & ~Copyable {}
