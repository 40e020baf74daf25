import TributaryCore
import TributaryLog

/// The number under which a row lives whose own one belongs to another row.
public enum FreshNumber {
  /// Enough to never meet another, few enough that every JSON reader keeps them.
  private static let bits = 52

  /// That of a row whose number another row has got.
  ///
  /// - Parameter birth: the stamp of the transaction that inserted the row; `nil` for the rows from
  ///   before the first takeover of the number.
  public static func number(table: String, key: Int64, birth: Stamp?) -> Int64 {
    hash([.string(SQLName(table).folded), .integer(key)] + (birth?.mark ?? [.string("held")]))
  }

  /// How many positive numbers there are to choose from in the place of a fresh one.
  static let positiveCount = 4

  /// A positive number in the place of a fresh one.
  ///
  /// - Parameters:
  ///   - choice: from 0; another one where the numbers before belong to others.
  ///   - bits: it is at least 2^bits and less than twice that.
  package static func positive(_ fresh: Int64, choice: Int, bits: Int) -> Int64 {
    // As good as independent of each other.
    let factors: [UInt64] = [
      0x9E37_79B9_7F4A_7C15, 0xC2B2_AE3D_27D4_EB4F, 0x1656_67B1_9E37_79F9, 0x27D4_EB2F_1656_67C5,
    ]
    let hash = UInt64(bitPattern: -1 - fresh) &* factors[choice]
    return Int64(1 << UInt64(bits) + hash >> UInt64(64 - bits))
  }

  /// A number below all fresh ones for one that is not negative, and the other way round.
  static func beyond(_ number: Int64) -> Int64 { -1 - 1 << bits - number }

  /// Negative, so that it never is the largest, from which SQLite counts on.
  private static func hash(_ values: [Value]) -> Int64 {
    var text = ByteBuffer()
    for value in values { text.append(value) }
    var hash = SegmentHash()
    hash.update(text.bytes)
    return -1 - Int64(hash.finish() >> UInt64(64 - bits))
  }
}
