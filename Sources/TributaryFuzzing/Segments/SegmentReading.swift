import TributaryCore
import TributaryLog

/// The result of reading a file, correct or not.
struct SegmentReading: Equatable {
  /// What was returned before the end or the error; `nil` without a header.
  var model: SegmentModel?
  var error: LogError?
  /// The reader's counts: transactions first.
  var counts: [UInt64] = []
  /// The position in the payload where each transaction's item ends.
  var headerEnds: [UInt64] = []

  /// The limits are low, so that a small input that expands can reach them.
  static let limits = SegmentLimits(changeByteCount: 1 << 20, definitionByteCount: 1 << 20)

  /// More than the buffers may ever take: twice the largest item, and the input.
  static let mostBufferBytes = 2 * (4 << 20) + (4 << 20)

  /// Reads a file.
  ///
  /// - Parameters:
  ///   - step: the largest number of bytes that arrive at a time.
  ///   - readsChanges: whether to read the changes, or to skip them.
  init(_ bytes: [UInt8], step: Int, readsChanges: Bool = true) throws(FuzzFailure) {
    do throws(any Error) {
      var reader = try SegmentReader(
        source: MemorySource(bytes, step: step), limits: Self.limits, hashing: true)
      var model = SegmentModel(header: reader.header)
      do throws(any Error) {
        try read(from: &reader, into: &model, readsChanges)
      } catch let failure as LogError { error = failure }
      counts = [
        reader.recordCount, reader.changeCount, reader.payloadOffset, reader.contentHash ?? 0,
        // Before the end, this depends on how much arrives at a time.
        error == nil ? reader.byteCount : 0,
      ]
      let peak = reader.peakBufferByteCount
      try FuzzFailure.demand(peak <= Self.mostBufferBytes, "buffers of \(peak) bytes")
      self.model = model
    } catch let failure as LogError {
      error = failure
    } catch let failure as FuzzFailure {
      throw failure
    } catch {
      throw FuzzFailure("an error of another type: \(error)")
    }
    if let error { try Self.check(error, of: bytes) }
  }

  private mutating func read(
    from reader: inout SegmentReader<MemorySource>, into model: inout SegmentModel,
    _ readsChanges: Bool
  ) throws {
    while let transaction = try reader.nextTransaction() {
      headerEnds.append(reader.payloadOffset)
      model.schemas[transaction.schema] = reader.schema(transaction.schema)
      model.transactions.append(.init(header: transaction, changes: []))
      guard readsChanges else { continue }
      while let view = try reader.nextChange() {
        let shape = reader.shape(view.shapeID)
        model.shapes[view.shapeID] = shape
        model.transactions[model.transactions.count - 1].changes.append(
          try Self.change(view, shape))
      }
    }
  }

  /// Returns the values of a change, which the reader has checked.
  private static func change(
    _ view: ChangeView, _ shape: TableShape
  ) throws(FuzzFailure) -> SegmentModel.Change {
    let change: SegmentModel.Change
    do { change = try SegmentModel.Change(view) } catch {
      throw FuzzFailure("a change that was read does not decode: \(error)")
    }
    let isDelete = change.operation == .delete
    let count = isDelete ? shape.keys.count : shape.columns.count
    try FuzzFailure.demand(
      change.values.count == count, "\(change.values.count) values where \(count) must be")
    let isWhole =
      change.operation == .update
      ? shape.keys.allSatisfy { change.values[$0.column] != nil }
      : change.values.allSatisfy { $0 != nil }
    try FuzzFailure.demand(isWhole, "a value is unchanged that must be there")
    return change
  }

  /// Checks that an error gives its position, in one line.
  private static func check(_ error: LogError, of bytes: [UInt8]) throws(FuzzFailure) {
    try FuzzFailure.demand(error.offset != nil, "no place: \(error)")
    try FuzzFailure.demand(error.region != .input, "a place in nothing known: \(error)")
    try FuzzFailure.demand(
      error.region != .file || error.offset! <= bytes.count, "a place beyond the file: \(error)")
    try FuzzFailure.demand(
      ![.inconsistent, .write].contains(error.code), "an error of a writer: \(error)")
  }
}
