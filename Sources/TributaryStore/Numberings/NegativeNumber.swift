import TributaryCore

/// A number that several rows were given, in a table whose displaced rows take negative numbers. Nobody else
/// gives such a number, so each one means its row forever.
struct NegativeNumber {
  let number: Int64
  let history: NumberHistory
  /// The fresh numbers of the entries and of the first holder, whether they have them or not.
  private let fresh: [Int64]
  private let firstFresh: Int64

  init(_ number: Int64, _ numberings: [Numbering], table: String) {
    self.number = number
    history = NumberHistory(numberings)
    fresh = numberings.map { FreshNumber.number(table: table, key: number, numbering: $0.stamp) }
    firstFresh = FreshNumber.number(table: table, key: number, numbering: nil)
  }

  private func number(_ place: NumberHistory.Place) -> Int64 {
    switch place {
    case .same: number
    case .first: firstFresh
    case .entry(let position): fresh[position]
    }
  }

  /// All numbers that mean one of the rows, besides the number itself.
  var freshNumbers: [Int64] { history.hasTakeovers ? fresh + [firstFresh] : fresh }

  /// The number that the first holder has.
  var firstNumber: Int64 { number(history.firstPlace) }

  /// Returns the fresh number of the last entry for whose numbering a condition holds.
  func freshNumber(ofLast holds: (Numbering) -> Bool) -> Int64? {
    history.entries.lastIndex { holds($0.numbering) }.map { fresh[$0] }
  }

  /// Returns the number that the row of an entry has.
  func number(of position: Int) -> Int64 { number(history.place(of: position)) }

  /// Returns the number that the row of a numbering has, without regard to rows that are the same.
  func number(of numbering: Numbering) -> Int64 {
    history.position(of: numbering.transaction.side).map(number(of:)) ?? number
  }

  /// Returns the numbering of the row that a transaction means by this number; `nil` for the first
  /// holder.
  func numbering(meantBy transaction: BatchTransaction) -> Numbering? {
    history.entry(meantBy: transaction).map { history.entries[$0].numbering }
  }

  /// Returns the numbering in a transaction, if it is known.
  func numbering(in transaction: BatchTransaction) -> Numbering? {
    history.position(of: transaction.side).map { history.entries[$0].numbering }
  }

  /// Returns the number of the row that a transaction inserts under this one.
  func placeOfInsert(in transaction: BatchTransaction) -> Int64 {
    number(history.placeOfInsert(in: transaction))
  }

  /// What a fresh number belongs to.
  enum Owner {
    case first
    case numbering(Numbering)
  }

  /// Returns what a fresh number belongs to; `nil` if it does not belong to this number.
  func owner(ofFresh other: Int64) -> Owner? {
    if other == firstFresh { return .first }
    return fresh.firstIndex(of: other).map { .numbering(history.entries[$0].numbering) }
  }

  /// Returns the fresh number of the row that the author of a takeover has under this number.
  func numberAfterTakeover(by transaction: BatchTransaction) -> Int64 {
    number(history.placeAfterTakeover(by: transaction))
  }
}
