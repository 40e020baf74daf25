import TributaryCore

/// The evidence about a store's own log, and the conclusion drawn from it.
struct OwnEvidence {
  /// The last transaction that the store has made.
  let last: SequenceNumber
  /// The highest own sequence that any peer knows, and the source.
  private var claimed = (sequence: SequenceNumber.zero, path: "")
  /// The first transaction that is different elsewhere, and the source.
  private var contradiction: (sequence: SequenceNumber, path: String)?
  /// The ranges that are the same elsewhere.
  private var agreed: [ClosedRange<SequenceNumber>] = []
  /// What another copy of this store has issued again, and the source.
  private var takenOver: (withdrawal: Withdrawal, path: String)?

  init(last: SequenceNumber) { self.last = last }

  mutating func claim(_ sequence: SequenceNumber, by path: @autoclosure () -> String) {
    if sequence > claimed.sequence { claimed = (sequence, path()) }
  }

  mutating func contradict(at sequence: SequenceNumber, by path: String) {
    if contradiction.map({ sequence < $0.sequence }) ?? true { contradiction = (sequence, path) }
  }

  mutating func agree(from first: SequenceNumber, to last: SequenceNumber) {
    if first <= last { agreed.append(first...last) }
  }

  mutating func takeOver(_ withdrawal: Withdrawal, by path: String) {
    takenOver = (withdrawal, path)
  }

  /// Returns the conclusion.
  ///
  /// - Parameters:
  ///   - published: the last transaction of its own log that the store has published.
  ///   - copied: the last transaction that the original has too, if the store is a copy. It is then expected
  ///     that more of it exists elsewhere.
  func verdict(published: SequenceNumber, copied: SequenceNumber?) -> OwnLog.Verdict {
    if let (withdrawal, path) = takenOver,
      contradiction.map({ withdrawal.last < $0.sequence }) ?? true
    {
      return .departs(
        after: withdrawal.last, takenOver: withdrawal,
        evidence:
          "\(path) has issued transactions of this store again, from \(withdrawal.last.next) on")
    }
    if let copied, contradiction.map({ copied < $0.sequence }) ?? true {
      return .departs(
        after: copied, takenOver: nil, evidence: Self.copy(after: copied))
    }
    guard contradiction != nil || claimed.sequence > last else { return .continues }
    let text = evidence
    var end = last
    if let contradiction { end = SequenceNumber(contradiction.sequence.rawValue - 1) }
    // The part that was published or is the same elsewhere, without a gap.
    var sure = min(published, end)
    for range in agreed.sorted(by: { $0.lowerBound < $1.lowerBound })
    where range.lowerBound.rawValue <= sure.rawValue + 1 {
      sure = min(max(sure, range.upperBound), end)
    }
    return sure < end
      ? .undecided(lacking: sure.next, evidence: text)
      : .departs(after: end, takenOver: nil, evidence: text)
  }

  /// Returns the evidence for a store whose file is a copy.
  static func copy(after last: SequenceNumber) -> String {
    "its file was made, or written over, after its transaction \(last)"
  }

  private var evidence: String {
    if let contradiction {
      return
        "\(contradiction.path) knows another transaction \(contradiction.sequence) of this store"
    }
    return
      "\(claimed.path) knows transactions of this store up to \(claimed.sequence), and the store "
      + "remembers \(last)"
  }
}
