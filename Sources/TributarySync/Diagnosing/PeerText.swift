import TributaryCore

/// Names peers for people.
struct PeerText {
  var own: PeerIdentity?
  var names: [PeerIdentity: String] = [:]

  /// `peer 3f… ("Studio")`, or `this store`.
  func callAsFunction(_ peer: PeerIdentity) -> String {
    if peer == own { return "this store" }
    let name = names[peer] ?? ""
    return name.isEmpty ? "peer \(peer)" : "peer \(peer) (\(name.debugDescription))"
  }

  /// `1 transaction`, `2 transactions`.
  static func transactions(_ count: some BinaryInteger) -> String {
    count == 1 ? "1 transaction" : "\(count) transactions"
  }

  /// `transaction 3`, `transactions 3 to 5`.
  static func transactions(_ range: ClosedRange<SequenceNumber>) -> String {
    range.lowerBound == range.upperBound
      ? "transaction \(range.lowerBound)"
      : "transactions \(range.lowerBound) to \(range.upperBound)"
  }
}
