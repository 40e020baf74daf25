import TributaryCore
import TributaryLog

/// Checks any header, in a correct frame and with a correct checksum.
enum HeaderCheck {
  /// No file is made for a header that promises more transactions.
  private static let mostTransactions: UInt64 = 8

  static func run(_ content: [UInt8]) throws(FuzzFailure) {
    let frame = SegmentFrames.skippable(SegmentFrames.headerMagic, content)
    let header: SegmentHeader
    switch read(frame) {
    case .failure(let error):
      try checkPrefixes(frame, error: error)
      return
    case .success(.needs):
      // The frame is too small to show its version.
      return try FuzzFailure.demand(frame.count < 18, "a whole header is not enough")
    case .success(.header(let found, let count)):
      try FuzzFailure.demand(count == frame.count, "a header of \(count) bytes")
      header = found
    }
    try checkPrefixes(frame, error: nil)
    do {
      let encoded = try header.encoded()
      // A newer version may contain more.
      guard encoded == content || header.version > .current else {
        throw FuzzFailure("written again, the header is another")
      }
      guard let model = model(header) else { return }
      let file = SegmentFrames(try model.written().bytes).replacingHeader(with: content).bytes
      let reading = try SegmentCheck.run(file)
      guard reading.error == nil, reading.model == model else {
        throw FuzzFailure("under its header, a right payload is \(reading)")
      }
    } catch let failure as FuzzFailure {
      throw failure
    } catch { throw FuzzFailure("what was read cannot be written: \(error)") }
  }

  private static func read(_ prefix: [UInt8]) -> Result<SegmentHeader.Prefix, LogError> {
    prefix.withUnsafeBytes { bytes in
      do throws(LogError) { return .success(try SegmentHeader.read(prefix: bytes)) } catch {
        return .failure(error)
      }
    }
  }

  /// Checks that each prefix asks for more, or fails like the whole.
  private static func checkPrefixes(_ frame: [UInt8], error: LogError?) throws(FuzzFailure) {
    // The first prefixes are decisive; for long frames, a sample is enough.
    for count in 0..<frame.count where count < 128 || count % 61 == 0 {
      switch read(Array(frame[..<count])) {
      case .success(.needs(let more)):
        try FuzzFailure.demand(
          more > count && (more <= frame.count || more == 18), "\(count) bytes need \(more)")
      case .success(.header): throw FuzzFailure("\(count) bytes are enough for a longer header")
      case .failure(let found):
        try FuzzFailure.demand(
          found == error, "\(count) bytes: \(found), whole: \(String(describing: error))")
      }
    }
  }

  /// Returns empty transactions for which the header is correct; `nil` if there are none, or too
  /// many.
  private static func model(_ header: SegmentHeader) -> SegmentModel? {
    let count = header.last.rawValue - header.first.rawValue + 1
    guard count <= mostTransactions,
      count - 1 <= header.lastTime.rawValue - header.firstTime.rawValue
    else { return nil }
    let transactions = (0..<count).map { index in
      SegmentModel.Transaction(
        header: TransactionHeader(
          sequence: SequenceNumber(header.first.rawValue + index),
          time: index == count - 1
            ? header.lastTime : HybridTime(rawValue: header.firstTime.rawValue + index),
          schema: 1, knowledge: header.knowledge), changes: [])
    }
    return SegmentModel(header: header, schemas: [1: ""], transactions: transactions)
  }
}
