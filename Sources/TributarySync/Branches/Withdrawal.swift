import TributaryCore

/// What a store wrote under an identity that others wrote under too, and has issued again under one
/// of its own.
///
/// The transactions `last + 1 … reissued` of the former identity, as that store wrote them, are
/// 1, 2, 3 … of its new one, with the same times. Nobody imports both.
struct Withdrawal: Equatable {
  var former: PeerIdentity
  var last: SequenceNumber
  var reissued: SequenceNumber
  /// Who has issued them again.
  var peer: PeerIdentity
  /// When the first of them was made, which tells them from those of other branches; `nil` where it was
  /// not said.
  var time: HybridTime?

  /// Whether a transaction of the former identity is among them, if it is of that branch.
  func contains(_ sequence: SequenceNumber) -> Bool { last < sequence && sequence <= reissued }

  /// What such a transaction is called now.
  func renamed(_ sequence: SequenceNumber) -> SequenceNumber {
    SequenceNumber(sequence.rawValue - last.rawValue)
  }

  /// Whether another one is of the same transactions, as far as both go.
  func isSameBranch(_ other: Withdrawal) -> Bool {
    former == other.former && last == other.last && time == other.time
  }
}
