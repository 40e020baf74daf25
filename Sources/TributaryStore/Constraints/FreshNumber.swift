import TributaryCore
import TributaryLog

/// The number under which a row lives if its own number belongs to another row.
package enum FreshNumber {
  /// Enough bits that fresh numbers never collide, and few enough that every JSON reader preserves them.
  private static let bits = 52

  /// Returns the number for a row whose own number went to another row.
  ///
  /// - Parameter numbering: the stamp of the transaction that inserted the row; `nil` for rows that existed
  ///   before the first takeover of the number.
  package static func number(table: String, key: Int64, numbering: Stamp?) -> Int64 {
    hash([.string(SQLName(table).folded), .integer(key)] + (numbering?.mark ?? [.string("held")]))
  }

  /// The number of positive choices for a fresh number.
  package static let positiveCount = 4

  /// Returns a positive number in place of a fresh one.
  ///
  /// - Parameters:
  ///   - choice: counts from 0; higher choices are for rows whose earlier choices belong to other rows.
  ///   - bits: the result is at least 2^bits and less than twice that.
  package static func positive(_ fresh: Int64, choice: Int, bits: Int) -> Int64 {
    // Factors that make the choices practically independent of each other.
    let factors: [UInt64] = [
      0x9E37_79B9_7F4A_7C15, 0xC2B2_AE3D_27D4_EB4F, 0x1656_67B1_9E37_79F9, 0x27D4_EB2F_1656_67C5,
    ]
    let hash = UInt64(bitPattern: -1 - fresh) &* factors[choice]
    return Int64(1 << UInt64(bits) + hash >> UInt64(64 - bits))
  }

  /// Returns a number below all fresh ones for a nonnegative number, and vice versa.
  static func beyond(_ number: Int64) -> Int64 { -1 - 1 << bits - number }

  /// Returns a negative number, so that it is never the largest number, from which SQLite continues counting.
  private static func hash(_ values: [Value]) -> Int64 {
    var text = ByteBuffer()
    for value in values { text.append(value) }
    var hash = SegmentHash()
    hash.update(text.bytes)
    return -1 - Int64(hash.finish() >> UInt64(64 - bits))
  }
}
