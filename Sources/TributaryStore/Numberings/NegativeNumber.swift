import TributaryCore

/// A number that several rows were given, in a table whose displaced rows take negative numbers. Nothing else
/// assigns such a number, so each one means its row forever.
struct NegativeNumber {
  let number: Int64
  let history: NumberHistory
  /// The fresh numbers of the entries and of the first holder, whether or not they have these numbers.
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

  /// All numbers that mean one of the rows, other than the number itself.
  var freshNumbers: [Int64] { history.hasTakeovers ? fresh + [firstFresh] : fresh }

  /// The number that the first holder now has.
  var firstNumber: Int64 { number(history.firstPlace) }

  /// Returns the fresh number of the last entry for whose numbering a condition holds.
  func freshNumber(ofLast holds: (Numbering) -> Bool) -> Int64? {
    history.entries.lastIndex { holds($0.numbering) }.map { fresh[$0] }
  }

  /// Returns the number that the row of an entry now has.
  func number(of position: Int) -> Int64 { number(history.place(of: position)) }

  /// Returns the number that the row of a numbering has, ignoring rows that are the same.
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

  /// Returns the number of the row that a transaction inserts under this number.
  func placeOfInsert(in transaction: BatchTransaction) -> Int64 {
    number(history.placeOfInsert(in: transaction))
  }

  /// The row to which a fresh number belongs.
  enum Owner {
    case first
    case numbering(Numbering)
  }

  /// Returns the row to which a fresh number belongs; `nil` if it does not derive from this number.
  func owner(ofFresh other: Int64) -> Owner? {
    if other == firstFresh { return .first }
    return fresh.firstIndex(of: other).map { .numbering(history.entries[$0].numbering) }
  }

  /// Returns the fresh number for the row that the author of a takeover has under this number.
  func numberAfterTakeover(by transaction: BatchTransaction) -> Int64 {
    number(history.placeAfterTakeover(by: transaction))
  }
}
