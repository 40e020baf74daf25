import TributaryCore

/// What became of one number: the rows that were given it, and where each is now.
///
/// A *takeover* gives a number that belongs to a held row to another row; the one that had it lives under a
/// fresh number from then on. The *holder* of a number is the last takeover that its author knew, or made,
/// and the first holder where there was none.
struct NumberHistory {
  struct Entry {
    var birth: Birth
    /// A position among the entries; `nil` for the first holder.
    var holder: Int?
    /// The number that the row has if it cannot have its own.
    var fresh: Int64
    /// The number that the row has.
    var number: Int64
  }

  let number: Int64
  /// In ascending order of stamp.
  private(set) var entries: [Entry]
  /// The fresh number of the first holder, and the one that it has.
  let firstFresh: Int64
  private(set) var firstNumber: Int64
  private let takeovers: [Int]

  /// - Parameters:
  ///   - births: all that are known under the number, in ascending order of stamp.
  ///   - table: its name.
  init(_ number: Int64, _ births: [Birth], table: String) {
    self.number = number
    firstFresh = FreshNumber.number(table: table, key: number, birth: nil)
    entries = births.map { birth in
      let fresh = FreshNumber.number(table: table, key: number, birth: birth.stamp)
      return Entry(birth: birth, holder: nil, fresh: fresh, number: number)
    }
    takeovers = births.indices.filter { births[$0].takesOver }
    firstNumber = takeovers.isEmpty ? number : firstFresh
    if !takeovers.isEmpty {
      let last = last(takeovers)
      for position in takeovers where position != last {
        entries[position].number = entries[position].fresh
      }
      for position in entries.indices {
        entries[position].holder = holder(for: births[position].transaction)
      }
    }
    var groups: [Int?: [Int]] = [:]
    for position in entries.indices where !births[position].takesOver {
      groups[entries[position].holder, default: []].append(position)
    }
    for (holder, group) in groups {
      for (position, isDisplaced) in zip(group, displaced(group)) {
        entries[position].number = isDisplaced ? entries[position].fresh : place(of: holder)
      }
    }
  }

  /// Which of some entries, in ascending order, lose the number: those that an earlier one, which does
  /// not, met by accident.
  private func displaced(_ positions: [Int]) -> [Bool] {
    var displaced: [Bool] = []
    var staying: [Birth] = []
    for position in positions {
      let birth = entries[position].birth
      displaced.append(staying.contains { $0.isAccident(with: birth) })
      if displaced[displaced.count - 1] == false { staying.append(birth) }
    }
    return displaced
  }

  /// The last of some entries, in ascending order, that does not lose the number.
  private func last(_ positions: [Int]) -> Int? {
    displaced(positions).lastIndex(of: false).map { positions[$0] }
  }

  private func isBefore(_ transaction: BatchTransaction, _ position: Int) -> Bool {
    let side = entries[position].birth.transaction.side
    return transaction.saw(side) || side == transaction.side
  }

  /// Whose the number was when a transaction had been written, for its author.
  private func holder(for transaction: BatchTransaction) -> Int? {
    takeovers.isEmpty ? nil : last(takeovers.filter { isBefore(transaction, $0) })
  }

  private func place(of holder: Int?) -> Int64 { holder.map { entries[$0].number } ?? firstNumber }

  /// The number of the row that a transaction means by this one.
  func meaning(by transaction: BatchTransaction) -> Int64 {
    let holder = holder(for: transaction)
    let seen = entries.indices.filter {
      !entries[$0].birth.takesOver && entries[$0].holder == holder && isBefore(transaction, $0)
    }
    return last(seen).map { entries[$0].number } ?? place(of: holder)
  }

  /// The number of the row that a transaction inserts under this one.
  func birthplace(in transaction: BatchTransaction) -> Int64 {
    entries.first { $0.birth.transaction.side == transaction.side }?.number
      ?? place(of: holder(for: transaction))
  }

  /// The number of the row to which a fresh one belongs; `nil` where it belongs to none of these.
  func home(ofFresh fresh: Int64) -> Int64? {
    if fresh == firstFresh { return firstNumber }
    return entries.first { $0.fresh == fresh }?.number
  }

  /// The fresh number that the row gets which the author of a takeover has under this number.
  func numberAfterTakeover(by transaction: BatchTransaction) -> Int64 {
    holder(for: transaction).map { entries[$0].fresh } ?? firstFresh
  }

  var hasTakeovers: Bool { !takeovers.isEmpty }
}
