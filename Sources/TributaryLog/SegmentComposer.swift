import TributaryCore

/// Composes the bytes of a segment, independent of where they are written: calls fill `output`, and
/// `takeOutput` empties it.
struct SegmentComposer: ~Copyable {
  private enum Phase {
    case betweenTransactions
    case inTransaction
    case finished
    /// An error was thrown, and the segment cannot be completed.
    case failed
  }

  private var phase = Phase.betweenTransactions
  private var chain: TransactionChain
  private var schemas: Set<UInt32> = []
  private var shapes: Set<UInt32> = []

  private var compressor: FrameCompressor
  /// The payload that has not been compressed yet; at most one block.
  private var block = ByteBuffer(capacity: LogFormat.blockByteCount)
  /// The item that is being composed.
  private var item = ByteBuffer()

  private let headerChecksum: UInt64
  private var trailer = SegmentTrailer()
  private var indexBuilder = IndexBuilder()
  private var index: [SegmentTrailer.IndexEntry] = []

  /// The bytes of the file that have not been taken yet.
  private(set) var output = ByteBuffer(capacity: LogFormat.blockByteCount * 2)
  private var hash = SegmentHash()
  private var byteCount: UInt64 = 0

  /// Makes a composer.
  ///
  /// - Throws: `LogError` for a header that the format does not allow.
  static func make(
    header: SegmentHeader, horizon: Knowledge, compressionLevel: Int
  ) throws(LogError) -> SegmentComposer {
    let content = try header.encoded()
    let chain = try TransactionChain(header: header, horizon: horizon)
    var compressor = try FrameCompressor(level: compressionLevel)
    var frame = ByteBuffer()
    try compressor.begin(into: &frame)
    return SegmentComposer(chain: chain, content: content, compressor: compressor, frame: frame)
  }

  private init(
    chain: TransactionChain, content: [UInt8], compressor: consuming FrameCompressor,
    frame: consuming ByteBuffer
  ) {
    self.chain = chain
    self.compressor = compressor
    headerChecksum = content.withUnsafeBytes { SegmentHash.hash($0) }
    output.append(littleEndian: LogFormat.headerFrameMagic)
    output.append(littleEndian: UInt32(content.count))
    content.withUnsafeBytes { output.append($0) }
    output.append(frame.bytes)
  }

  var payloadSize: UInt64 { trailer.payloadSize }

  func isDefined(schema id: UInt32) -> Bool { schemas.contains(id) }

  func isDefined(shape id: UInt32) -> Bool { shapes.contains(id) }

  mutating func define(schema id: UInt32, name: String) throws(LogError) {
    try check(.betweenTransactions)
    guard schemas.insert(id).inserted else { throw inconsistent("schema \(id) is defined twice") }
    item.removeAll()
    item.append(ItemCode.schema)
    item.append(variable: UInt64(id))
    do throws(LogError) { try item.append(name: name) } catch { throw fail(error) }
    try putItem()
  }

  mutating func define(shape id: UInt32, encoded: UnsafeRawBufferPointer) throws(LogError) {
    try check(.betweenTransactions)
    guard shapes.insert(id).inserted else { throw inconsistent("shape \(id) is defined twice") }
    item.removeAll()
    item.append(ItemCode.shape)
    item.append(variable: UInt64(id))
    item.append(encoded)
    try putItem()
  }

  mutating func begin(_ transaction: TransactionHeader) throws(LogError) {
    try check(.betweenTransactions)
    guard schemas.contains(transaction.schema) else {
      throw inconsistent("schema \(transaction.schema) is not defined")
    }
    item.removeAll()
    do throws(LogError) {
      try transaction.encode(
        after: chain.knowledge, above: chain.horizon, as: chain.notation, into: &item)
    } catch { throw fail(error) }
    if let problem = chain.accept(transaction) { throw inconsistent(problem) }
    if let entry = indexBuilder.entry(for: transaction.sequence, at: trailer.payloadSize) {
      index.append(entry)
    }
    try putItem()
    phase = .inTransaction
  }

  /// Appends row changes; at most one block.
  mutating func append(changes: UnsafeRawBufferPointer) throws(LogError) {
    try check(.inTransaction)
    try put(changes)
  }

  mutating func end(changeCount: UInt64) throws(LogError) {
    try check(.inTransaction)
    item.removeAll()
    item.append(ItemCode.end)
    item.append(variable: changeCount)
    try putItem()
    trailer.recordCount += 1
    trailer.changeCount += changeCount
    phase = .betweenTransactions
  }

  mutating func finish() throws(LogError) {
    try check(.betweenTransactions)
    guard chain.isComplete else { throw inconsistent("transaction \(chain.next) is missing") }
    do throws(LogError) {
      try compressor.update(block.bytes, into: &output)
      try compressor.end(into: &output)
      try trailer.encode(index: index, headerChecksum: headerChecksum, into: &output)
    } catch { throw fail(error) }
    phase = .finished
  }

  /// Passes the output to `write`, then discards it.
  mutating func takeOutput<Failure: Error>(
    _ write: (UnsafeRawBufferPointer) throws(Failure) -> Void
  ) throws(Failure) {
    hash.update(output.bytes)
    byteCount += UInt64(output.count)
    do throws(Failure) { try write(output.bytes) } catch {
      phase = .failed
      throw error
    }
    output.removeAll()
  }

  /// Returns the summary.
  ///
  /// - Precondition: the segment is finished, and all output is taken.
  consuming func summary() -> SegmentSummary {
    precondition(phase == .finished && output.isEmpty)
    return SegmentSummary(
      contentHash: hash.finish(), byteCount: byteCount, recordCount: trailer.recordCount,
      changeCount: trailer.changeCount, payloadSize: trailer.payloadSize)
  }

  private mutating func putItem() throws(LogError) { try put(item.bytes) }

  /// Divides the payload into blocks that do not depend on how it was passed in, so that equal
  /// transactions give equal files.
  private mutating func put(_ bytes: UnsafeRawBufferPointer) throws(LogError) {
    var rest = bytes
    while !rest.isEmpty {
      let count = min(rest.count, LogFormat.blockByteCount - block.count)
      block.append(UnsafeRawBufferPointer(rebasing: rest[..<count]))
      rest = UnsafeRawBufferPointer(rebasing: rest[count...])
      if block.count == LogFormat.blockByteCount {
        do throws(LogError) { try compressor.update(block.bytes, into: &output) } catch {
          throw fail(error)
        }
        block.removeAll()
      }
    }
    trailer.payloadSize += UInt64(bytes.count)
  }

  private mutating func check(_ expected: Phase) throws(LogError) {
    guard phase == expected else {
      throw inconsistent(
        phase == .failed
          ? "the segment failed before"
          : phase == .inTransaction ? "the transaction is not ended" : "no transaction has begun")
    }
  }

  private mutating func inconsistent(_ message: String) -> LogError {
    fail(LogError(.inconsistent, message, at: trailer.payloadSize, in: .payload))
  }

  private mutating func fail(_ error: LogError) -> LogError {
    phase = .failed
    return error
  }
}
