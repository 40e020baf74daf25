import TributaryLog

/// Checks what must be true of any bytes that are read as a segment.
enum SegmentCheck {
  /// Checks the bytes.
  ///
  /// - Returns: what was read, in one piece.
  @discardableResult
  static func run(_ bytes: [UInt8]) throws(FuzzFailure) -> SegmentReading {
    let whole = try SegmentReading(bytes, step: .max)
    for step in [1, 13] {
      let cut = try SegmentReading(bytes, step: step)
      guard cut == whole else {
        throw FuzzFailure("in pieces of \(step) it reads otherwise: \(cut), in one \(whole)")
      }
    }
    let skipped = try SegmentReading(bytes, step: .max, readsChanges: false)
    try FuzzFailure.demand(
      skipped.error == whole.error && skipped.counts == whole.counts,
      "without its changes it reads otherwise: \(skipped), with them \(whole)")
    if whole.error == nil, let model = whole.model { try checkWriting(model) }
    return whole
  }

  /// Checks that a correct segment can be written, and then reads the same.
  private static func checkWriting(_ model: SegmentModel) throws(FuzzFailure) {
    do {
      let written = try model.written().bytes
      var expected = model
      let again = try SegmentModel(reading: written, limits: SegmentReading.limits)
      // A newer minor version becomes the current one.
      expected.header = again.header
      guard again == expected, again.header.isEqual(to: model.header) else {
        throw FuzzFailure("written and read again it is \(again), not \(model)")
      }
      // Zeros of different signs are equal numbers with different bytes.
      let twice = try again.written().bytes
      guard twice == written else { throw FuzzFailure("written twice it has other bytes") }
      if again.header.horizon != nil { try HorizonCheck.run(again, written) }
    } catch let failure as FuzzFailure {
      throw failure
    } catch {
      throw FuzzFailure("what was read cannot be written and read again: \(error)")
    }
  }
}

extension SegmentHeader {
  /// Whether both are the same, in any version.
  fileprivate func isEqual(to other: SegmentHeader) -> Bool {
    peer == other.peer && first == other.first && last == other.last
      && firstTime == other.firstTime && lastTime == other.lastTime
      && contentName.utf8.elementsEqual(other.contentName.utf8) && knowledge == other.knowledge
      && horizon == other.horizon
  }
}
