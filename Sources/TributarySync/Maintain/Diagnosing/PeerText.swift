import TributaryCore

/// Describes peers and transactions for people.
struct PeerText {
  var own: PeerIdentity?
  var names: [PeerIdentity: String] = [:]

  /// Returns, for example, `peer 3f… ("Studio")`, or `this store`.
  func callAsFunction(_ peer: PeerIdentity) -> String {
    if peer == own { return "this store" }
    let name = names[peer] ?? ""
    return name.isEmpty ? "peer \(peer)" : "peer \(peer) (\(name.debugDescription))"
  }

  /// Returns, for example, `1 transaction` or `2 transactions`.
  static func transactions(_ count: some BinaryInteger) -> String {
    count == 1 ? "1 transaction" : "\(count) transactions"
  }

  /// Returns, for example, `transaction 3` or `transactions 3 to 5`.
  static func transactions(_ range: ClosedRange<SequenceNumber>) -> String {
    range.lowerBound == range.upperBound
      ? "transaction \(range.lowerBound)"
      : "transactions \(range.lowerBound) to \(range.upperBound)"
  }
}
