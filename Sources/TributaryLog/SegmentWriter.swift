import TributaryCore

/// Writes a segment to a sink, in one pass and in bounded memory.
///
/// The header comes first in the file, so it is given first; that the transactions are the ones it
/// promises is checked. After anything was thrown, every call throws, and what was written is worth
/// nothing.
///
/// Not bounded is the index, of 16 bytes for each 256 KiB of payload.
public struct SegmentWriter<Sink: ByteSink & ~Copyable>: ~Copyable {
  private var composer: SegmentComposer
  private var sink: Sink

  /// Output is handed on in pieces of at least this size.
  private static var pieceByteCount: Int { 64 << 10 }

  /// - Parameters:
  ///   - compressionLevel: 0 is fast; 3 to 12 take up to fifteen times longer and make smaller
  ///     files.
  /// - Throws: ``LogError`` for a header that the format does not allow; what the sink throws.
  public init(
    header: SegmentHeader, sink: consuming Sink, compressionLevel: Int = 0
  ) throws {
    composer = try SegmentComposer.make(header: header, compressionLevel: compressionLevel)
    self.sink = sink
  }

  /// The bytes of payload so far, before compression.
  public var payloadSize: UInt64 { composer.payloadSize }

  /// Whether a schema has this number already.
  public func isDefined(schema id: UInt32) -> Bool { composer.isDefined(schema: id) }

  /// Whether a shape has this number already.
  public func isDefined(shape id: UInt32) -> Bool { composer.isDefined(shape: id) }

  /// Gives a schema its number, once, before the first transaction that uses it.
  public mutating func define(schema id: UInt32, name: String) throws {
    try composer.define(schema: id, name: name)
    try drain()
  }

  /// Gives a shape its number, once, before the first transaction that uses it.
  public mutating func define(shape id: UInt32, _ shape: TableShape) throws {
    let encoded = try shape.encoded()
    try encoded.withUnsafeBytes { try composer.define(shape: id, encoded: $0) }
    try drain()
  }

  /// Gives a shape its number, from what `TableShape.encoded()` made.
  public mutating func define(shape id: UInt32, encoded: UnsafeRawBufferPointer) throws {
    _ = try TableShape(decoding: encoded)
    try composer.define(shape: id, encoded: encoded)
    try drain()
  }

  /// Begins a transaction.
  ///
  /// - Throws: ``LogError`` `inconsistent` when it does not follow the one before as the header
  ///   says.
  public mutating func begin(_ transaction: TransactionHeader) throws {
    try composer.begin(transaction)
    try drain()
  }

  /// Copies row changes through, whole items or pieces of them; they are not looked at.
  public mutating func append(changes: UnsafeRawBufferPointer) throws {
    var rest = changes
    repeat {
      let count = min(rest.count, LogFormat.blockByteCount)
      try composer.append(changes: UnsafeRawBufferPointer(rebasing: rest[..<count]))
      rest = UnsafeRawBufferPointer(rebasing: rest[count...])
      try drain()
    } while !rest.isEmpty
  }

  /// Ends the transaction.
  ///
  /// - Parameter changeCount: the number of row changes appended since it began.
  public mutating func end(changeCount: UInt64) throws {
    try composer.end(changeCount: changeCount)
    try drain()
  }

  /// Completes the segment.
  ///
  /// - Throws: ``LogError`` `inconsistent` when a transaction of the header is missing; what the
  ///   sink throws.
  public consuming func finish() throws -> SegmentSummary {
    try finishReturningSink().summary
  }

  /// Completes the segment and gives the sink back.
  public consuming func finishReturningSink() throws -> FinishedSegment<Sink> {
    try composer.finish()
    try drain(all: true)
    return FinishedSegment(summary: composer.summary(), sink: sink)
  }

  private mutating func drain(all: Bool = false) throws {
    guard composer.output.count >= (all ? 1 : Self.pieceByteCount) else { return }
    try composer.takeOutput { try sink.write($0) }
  }
}

extension SegmentWriter: Sendable where Sink: Sendable & ~Copyable {}
