/// Finds the end of a row image, checking every value on the way. It can stop where the bytes end,
/// and continue when more have arrived.
@usableFromInline struct ImageWalk: Sendable {
  /// The position of the next value.
  var offset: Int
  /// The number of remaining values.
  var remaining: Int

  /// Content sizes of the serial types 0 to 9, four bits each.
  private static let sizes: UInt64 = 0x00_8864_3210

  /// Skips values until none remains.
  ///
  /// - Parameter allowsAbsent: whether unchanged columns may occur.
  /// - Returns: 0 if the image is complete; otherwise the smallest number of bytes that `bytes`
  ///   must have before it is worth continuing.
  /// - Complexity: O(values), whatever their sizes.
  mutating func run(
    over bytes: UnsafeRawPointer, count: Int, allowsAbsent: Bool
  ) throws(LogError) -> Int {
    var offset = self.offset
    var remaining = self.remaining
    while remaining > 0 {
      guard offset < count else { return stop(offset, remaining, needing: count + 1) }
      let type = bytes.load(fromByteOffset: offset, as: UInt8.self)
      var next: Int
      if type &- 12 < 0x80 - 12 {
        next = offset &+ 1 &+ Int((type &- 12) >> 1)
      } else if type < 10 {
        next = offset &+ 1 &+ Int(truncatingIfNeeded: Self.sizes >> (UInt64(type) &* 4) & 15)
        if type == 7, next <= count { try checkReal(bytes, at: offset) }
      } else if type < 12 {
        var length = 1
        next = offset + 1
        if type == 11 {
          switch VariableNumber.read(bytes, from: next, to: count) {
          case .value(let run, let end) where run >= 2 && run <= UInt64(remaining):
            (length, next) = (Int(run), end)
          case .incomplete: return stop(offset, remaining, needing: count + 1)
          default: throw ImageCursor.badRun(at: offset)
          }
        }
        guard allowsAbsent else {
          throw LogError(.malformed, "an unchanged column outside an update", at: UInt64(offset))
        }
        offset = next
        remaining -= length
        continue
      } else {
        switch VariableNumber.read(bytes, from: offset, to: count) {
        case .value(let type, let end):
          // At most 2^63 − 6, so that only the sum can overflow.
          let (sum, overflow) = end.addingReportingOverflow(Int((type - 12) >> 1))
          next = overflow ? .max : sum
        case .incomplete: return stop(offset, remaining, needing: count + 1)
        case .malformed:
          throw LogError(.malformed, "a number is not in its shortest form", at: UInt64(offset))
        }
      }
      guard next <= count else { return stop(offset, remaining, needing: next) }
      offset = next
      remaining &-= 1
    }
    self.offset = offset
    self.remaining = 0
    return 0
  }

  private mutating func stop(_ offset: Int, _ remaining: Int, needing count: Int) -> Int {
    self.offset = offset
    self.remaining = remaining
    return count
  }

  private func checkReal(_ bytes: UnsafeRawPointer, at offset: Int) throws(LogError) {
    let stored = bytes.loadUnaligned(fromByteOffset: offset + 1, as: UInt64.self)
    guard !Double(bitPattern: UInt64(bigEndian: stored)).isNaN else {
      throw ImageCursor.notANumber(at: offset)
    }
  }
}
