import TributaryCore
import TributarySQLite

extension Statement {
  /// A peer; `nil` for anything else than 16 bytes.
  package func peer(_ column: Int) -> PeerIdentity? {
    guard type(column) == .blob else { return nil }
    let bytes = bytes(column)
    return bytes.count == PeerIdentity.byteCount ? PeerIdentity(bytes: bytes) : nil
  }

  /// The sequence of a transaction, after which there can be another one; `nil` for anything else.
  package func sequence(_ column: Int) -> SequenceNumber? {
    guard type(column) == .integer else { return nil }
    let number = integer(column)
    return 1..<Int64.max ~= number ? SequenceNumber(UInt64(number)) : nil
  }
}
