import TributaryCore
import TributaryLog

/// The number under which a row lives whose own one belongs to another row.
public enum FreshNumber {
  /// Enough to never meet another, few enough that every JSON reader keeps them.
  private static let bits = 52

  /// Negative, so that it never is the largest in its table, from which SQLite counts on.
  ///
  /// - Parameter peer: the author of the row, in its transaction `sequence`.
  public static func number(
    table: String, key: Int64, peer: PeerIdentity, sequence: SequenceNumber
  ) -> Int64 {
    var text = ByteBuffer()
    text.append(Value.string(table.lowercased()))
    text.append(Value.integer(key))
    text.append(Value.blob(peer.bytes))
    text.append(Value.integer(Int64(sequence.rawValue)))
    var hash = SegmentHash()
    hash.update(text.bytes)
    return -1 - Int64(hash.finish() >> UInt64(64 - bits))
  }
}
