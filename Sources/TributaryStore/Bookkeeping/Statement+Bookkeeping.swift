import TributaryCore
import TributarySQLite

extension Statement {
  /// Returns a peer; `nil` unless the value has 16 bytes.
  package func peer(_ column: Int) -> PeerIdentity? {
    guard type(column) == .blob else { return nil }
    let bytes = bytes(column)
    return bytes.count == PeerIdentity.byteCount ? PeerIdentity(bytes: bytes) : nil
  }

  /// Returns the sequence number of a transaction; `nil` for any value that is not one, or that has no
  /// successor.
  package func sequence(_ column: Int) -> SequenceNumber? {
    guard type(column) == .integer else { return nil }
    let number = integer(column)
    return 1..<Int64.max ~= number ? SequenceNumber(UInt64(number)) : nil
  }
}
