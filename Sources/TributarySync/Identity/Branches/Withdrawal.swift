import TributaryCore

/// The transactions that a store wrote under a shared identity and has issued again under its own.
///
/// The transactions `last + 1 … reissued` of the former identity, as that store wrote them, are 1, 2, 3 … of
/// its new one, with the same times. No store imports both.
struct Withdrawal: Equatable {
  var former: PeerIdentity
  var last: SequenceNumber
  var reissued: SequenceNumber
  /// The peer under which they were issued again.
  var peer: PeerIdentity
  /// The time of the first of them, which distinguishes them from the transactions of other branches; `nil`
  /// if it was not stated.
  var time: HybridTime?

  /// Whether a transaction of the former identity is among them, provided that it belongs to the
  /// branch.
  func contains(_ sequence: SequenceNumber) -> Bool { last < sequence && sequence <= reissued }

  /// The number of these transactions.
  var count: UInt64 { reissued.rawValue - last.rawValue }

  /// Returns the present number of a withdrawn transaction.
  func renamed(_ sequence: SequenceNumber) -> SequenceNumber {
    SequenceNumber(sequence.rawValue - last.rawValue)
  }

  /// Whether both concern the same transactions, as far as both extend.
  func isSameBranch(_ other: Withdrawal) -> Bool {
    former == other.former && last == other.last && time == other.time
  }
}
