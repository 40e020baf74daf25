import TributaryCore

/// Writes a segment to a sink, in one pass and in bounded memory.
///
/// The header comes first in the file, so it must be given first. The writer checks that the transactions
/// match it. After an error, every call throws, and what was written so far is useless.
///
/// Only the index is not bounded: it takes 16 bytes for each 256 KiB of payload.
package struct SegmentWriter<Sink: ByteSink & ~Copyable>: ~Copyable {
  private var composer: SegmentComposer
  private var sink: Sink

  /// Output is passed on in pieces of at least this size.
  private static var pieceByteCount: Int { 64 << 10 }

  /// Starts a segment.
  ///
  /// - Parameters:
  ///   - horizon: the horizon of the declaration that the header names. Transactions are then given with
  ///     everything that their authors knew; without it, with only what is above the horizon.
  ///   - compressionLevel: 0 is fast; 3 to 12 take up to fifteen times longer and make smaller
  ///     files.
  /// - Throws: ``LogError`` for a header that the format does not allow; what the sink throws.
  package init(
    header: SegmentHeader, horizon: Knowledge = Knowledge(), sink: consuming Sink,
    compressionLevel: Int = 0
  ) throws {
    composer = try SegmentComposer.make(
      header: header, horizon: horizon, compressionLevel: compressionLevel)
    self.sink = sink
  }

  /// The number of bytes of payload so far, before compression.
  package var payloadSize: UInt64 { composer.payloadSize }

  /// Whether this number is already taken by a schema.
  package func isDefined(schema id: UInt32) -> Bool { composer.isDefined(schema: id) }

  /// Whether this number is already taken by a shape.
  package func isDefined(shape id: UInt32) -> Bool { composer.isDefined(shape: id) }

  /// Assigns a number to a schema, once, before the first transaction that uses it.
  package mutating func define(schema id: UInt32, name: String) throws {
    try composer.define(schema: id, name: name)
    try drain()
  }

  /// Assigns a number to a shape, once, before the first transaction that uses it.
  package mutating func define(shape id: UInt32, _ shape: TableShape) throws {
    let encoded = try shape.encoded()
    try encoded.withUnsafeBytes { try composer.define(shape: id, encoded: $0) }
    try drain()
  }

  /// Assigns a number to a shape, given the bytes that `TableShape.encoded()` returned.
  package mutating func define(shape id: UInt32, encoded: UnsafeRawBufferPointer) throws {
    _ = try TableShape(decoding: encoded)
    try composer.define(shape: id, encoded: encoded)
    try drain()
  }

  /// Begins a transaction.
  ///
  /// - Throws: ``LogError`` `inconsistent` if it does not follow the previous transaction as the header says.
  package mutating func begin(_ transaction: TransactionHeader) throws {
    try composer.begin(transaction)
    try drain()
  }

  /// Copies row changes, as whole items or pieces of them, without interpreting them.
  package mutating func append(changes: UnsafeRawBufferPointer) throws {
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
  package mutating func end(changeCount: UInt64) throws {
    try composer.end(changeCount: changeCount)
    try drain()
  }

  /// Completes the segment.
  ///
  /// - Throws: ``LogError`` `inconsistent` if a transaction of the header is missing; what the sink
  ///   throws.
  package consuming func finish() throws -> SegmentSummary {
    try finishReturningSink().summary
  }

  /// Completes the segment and returns the sink.
  package consuming func finishReturningSink() throws -> FinishedSegment<Sink> {
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
