import TributaryCore

/// Reads a segment from bytes that are passed in as they arrive. It does not request bytes itself.
///
/// It trusts nothing: memory grows only with bytes that have really arrived, and every rule of the format is
/// checked before the data that it concerns is returned. Checksums of bytes that have yet to arrive cannot be
/// checked: only the `end` after the last transaction shows that the file was intact.
struct SegmentDecoder: ~Copyable, Sendable {
  /// The result of a step.
  enum Step<Item> {
    case item(Item)
    case end
    /// Call again after `receive` has brought more bytes, or the end.
    case needsInput
  }

  enum Phase {
    /// The descriptor of frame 2 comes next.
    case payloadFrame
    case betweenTransactions
    case inTransaction
    case trailer
    case done
  }

  let header: SegmentHeader
  let limits: SegmentLimits
  let headerChecksum: UInt64
  /// Whether transactions have everything that their authors knew.
  let isResolved: Bool

  var phase = Phase.payloadFrame
  var failure: LogError?
  var input: InputBuffer
  var decompressor: FrameDecompressor
  var window: PayloadWindow
  /// The number of bytes of payload that are needed before it is worth trying again.
  var wanted = 1

  var chain: TransactionChain
  var schemas: [UInt32: String] = [:]
  var shapes: [UInt32: TableShape] = [:]
  var layouts = ShapeLayouts()
  /// The remaining limit for definitions, in bytes.
  var definitionRoom: Int

  /// The change that the window does not contain completely yet.
  var pending: PendingChange?
  /// The number of changes of the transaction so far.
  var changeCount: UInt64 = 0
  var found = SegmentTrailer()
  var indexBuilder = IndexBuilder()
  var trailer = TrailerCheck()
  var contentHash: UInt64?
  /// The largest amount of memory that the buffers used, in bytes.
  var peak = 0

  struct PendingChange: Sendable {
    var operation: ChangeOperation
    var shapeID: UInt32
    var layout: ShapeLayout
    var imageStart: Int
    var walk: ImageWalk
  }

  /// Makes a decoder.
  ///
  /// - Parameter input: starts at the start of the file and contains the whole header.
  /// - Parameter horizon: the horizon of the declaration that the header names; `nil` if there is none, or if
  ///   it is not known.
  static func make(
    header: SegmentHeader, byteCount: Int, input: consuming InputBuffer, limits: SegmentLimits,
    horizon: Knowledge?
  ) throws(LogError) -> SegmentDecoder {
    let chain: TransactionChain
    do throws(LogError) {
      chain = try TransactionChain(header: header, horizon: horizon ?? Knowledge())
    } catch {
      throw error.moved(by: UInt64(LogFormat.skippableHeadByteCount), in: .file)
    }
    let decompressor = try FrameDecompressor()
    let window = try PayloadWindow()
    return SegmentDecoder(
      header: header, byteCount: byteCount, input: input, limits: limits, chain: chain,
      isResolved: horizon != nil || header.horizon == nil, decompressor: decompressor,
      window: window)
  }

  private init(
    header: SegmentHeader, byteCount: Int, input: consuming InputBuffer, limits: SegmentLimits,
    chain: TransactionChain, isResolved: Bool, decompressor: consuming FrameDecompressor,
    window: consuming PayloadWindow
  ) {
    self.header = header
    self.limits = limits
    let content = UnsafeRawBufferPointer(
      rebasing: input.bytes[LogFormat.skippableHeadByteCount..<byteCount])
    headerChecksum = SegmentHash.hash(content)
    input.consume(byteCount)
    self.input = input
    self.decompressor = decompressor
    self.window = window
    self.chain = chain
    self.isResolved = isResolved
    definitionRoom = limits.definitionByteCount
  }

  /// Lets `read` provide more of the file; 0 bytes mean its end.
  mutating func receive<Failure: Error>(
    _ read: (UnsafeMutableRawBufferPointer) throws(Failure) -> Int
  ) throws(Failure) {
    try input.fill(read)
  }

  /// Returns the next transaction, skipping what remains of the one before; `end` if the whole file
  /// was correct.
  mutating func nextTransaction() throws(LogError) -> Step<TransactionHeader> {
    if let failure { throw failure }
    do throws(LogError) {
      if phase == .inTransaction {
        skipping: while true {
          switch try findChange() {
          case .item: continue
          case .end: break skipping
          case .needsInput: return .needsInput
          }
        }
      }
      return try findTransaction()
    } catch {
      failure = error
      throw error
    }
  }

  /// Returns the next change of the transaction; `end` after the last, and if there is no
  /// transaction.
  mutating func nextChange() throws(LogError) -> Step<ChangeView> {
    if let failure { throw failure }
    guard phase == .inTransaction else { return .end }
    do throws(LogError) { return try findChange() } catch {
      failure = error
      throw error
    }
  }

  /// Decompresses until the window contains `wanted` bytes, or the rest of the payload.
  ///
  /// - Returns: `false` if that needs more input.
  mutating func fillWindow() throws(LogError) -> Bool {
    if phase == .payloadFrame {
      guard try checkPayloadFrame() else { return false }
    }
    while window.count < wanted, !decompressor.isFinished {
      // LZ4 would keep a copy of an incomplete block.
      guard input.hasEnded || input.count >= decompressor.wanted else { return false }
      guard input.count > 0 else {
        throw LogError(
          .truncated, "the file ends inside its payload", at: input.received, in: .file)
      }
      let space = try window.makeRoom(wanted: wanted)
      peak = max(peak, window.capacity + input.peak)
      do throws(LogError) {
        let (taken, made) = try decompressor.decode(input.bytes, into: space)
        input.consume(taken)
        window.advance(by: made)
      } catch { throw error.moved(by: input.offset, in: .file) }
    }
    return true
  }

  private mutating func checkPayloadFrame() throws(LogError) -> Bool {
    guard try input.hasPayloadFrame() else { return false }
    phase = .betweenTransactions
    return true
  }
}
