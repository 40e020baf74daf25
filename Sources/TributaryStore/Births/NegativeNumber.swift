import TributaryCore

/// A number that several rows were given, of a table whose displaced rows take negative numbers: nobody else
/// gives one of these, and so each of them means its row for ever.
struct NegativeNumber {
  let number: Int64
  let history: NumberHistory
  /// The fresh numbers of the entries and of the first holder, whether they have them or not.
  private let fresh: [Int64]
  private let firstFresh: Int64

  init(_ number: Int64, _ births: [Birth], table: String) {
    self.number = number
    history = NumberHistory(births)
    fresh = births.map { FreshNumber.number(table: table, key: number, birth: $0.stamp) }
    firstFresh = FreshNumber.number(table: table, key: number, birth: nil)
  }

  private func number(_ place: NumberHistory.Place) -> Int64 {
    switch place {
    case .same: number
    case .first: firstFresh
    case .entry(let position): fresh[position]
    }
  }

  /// All numbers that mean one of the rows, beside the number itself.
  var freshNumbers: [Int64] { history.hasTakeovers ? fresh + [firstFresh] : fresh }

  /// The number that the first holder has.
  var firstNumber: Int64 { number(history.firstPlace) }

  /// The number that the row of an entry has.
  func number(of position: Int) -> Int64 { number(history.place(of: position)) }

  /// The number that the row of a birth has, whatever it is the same as.
  func number(of birth: Birth) -> Int64 {
    history.position(of: birth.transaction.side).map(number(of:)) ?? number
  }

  /// The birth of the row that a transaction means by this number; `nil` for the first holder.
  func birth(meantBy transaction: BatchTransaction) -> Birth? {
    history.entry(meantBy: transaction).map { history.entries[$0].birth }
  }

  /// The birth in a transaction, where it is known.
  func birth(in transaction: BatchTransaction) -> Birth? {
    history.position(of: transaction.side).map { history.entries[$0].birth }
  }

  /// The number of the row that a transaction inserts under this one.
  func birthplace(in transaction: BatchTransaction) -> Int64 {
    number(history.birthplace(in: transaction))
  }

  /// To what a fresh number belongs.
  enum Owner {
    case first
    case birth(Birth)
  }

  /// To what of this a fresh number belongs; `nil` where it belongs to nothing.
  func owner(ofFresh other: Int64) -> Owner? {
    if other == firstFresh { return .first }
    return fresh.firstIndex(of: other).map { .birth(history.entries[$0].birth) }
  }

  /// The fresh number that the row gets which the author of a takeover has under this number.
  func numberAfterTakeover(by transaction: BatchTransaction) -> Int64 {
    number(history.placeAfterTakeover(by: transaction))
  }
}
