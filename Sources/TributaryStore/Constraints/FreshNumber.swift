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

  /// Negative, so that it never is the largest, from which SQLite counts on.
  private static func hash(_ values: [Value]) -> Int64 {
    var text = ByteBuffer()
    for value in values { text.append(value) }
    var hash = SegmentHash()
    hash.update(text.bytes)
    return -1 - Int64(hash.finish() >> UInt64(64 - bits))
  }
}
