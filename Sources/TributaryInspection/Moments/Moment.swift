package import TributaryCore
internal import TributaryFiles

/// A point in the history of logs.
package enum Moment: Hashable, Sendable {
  /// Before the first transaction.
  case beginning
  /// After all transactions up to this time, in milliseconds since 1970.
  case time(milliseconds: UInt64)
  /// The state of the author's store right after this transaction. The first hexadecimal digits identify the
  /// peer.
  case transaction(peerPrefix: String, SequenceNumber)

  /// Reads a time as RFC 3339 or milliseconds since 1970, or `peer:sequence`; `nil` for anything
  /// else.
  package init?(_ text: String) {
    if let milliseconds = Timestamp.milliseconds(text) {
      guard milliseconds <= HybridTime.maximumMilliseconds else { return nil }
      self = .time(milliseconds: milliseconds)
      return
    }
    let parts = text.utf8.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
    guard parts.count == 2, let number = UInt64(Substring(parts[1])), number > 0,
      number <= SequenceNumber.max.rawValue,
      let digits = TransactionFilter.peerPrefix(String(Substring(parts[0])))
    else { return nil }
    self = .transaction(peerPrefix: digits, SequenceNumber(number))
  }
}
