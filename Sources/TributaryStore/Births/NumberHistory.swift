import TributaryCore

/// What became of one number: the rows that were given it, and which of them have it.
///
/// A *takeover* gives a number that belongs to a held row to another row; the one that had it lives under a
/// fresh number from then on. The *holder* of a number is the last takeover that its author knew, or made,
/// and the first holder where there was none.
struct NumberHistory {
  /// Where a row is.
  enum Place: Equatable {
    /// It has the number.
    case same
    /// The first holder has its fresh number.
    case first
    /// It has the fresh number of the entry at a position.
    case entry(Int)
  }

  struct Entry {
    var birth: Birth
    /// A position among the entries; `nil` for the first holder.
    var holder: Int?
    /// It has met an earlier one by accident, or lost the number to another takeover.
    var isDisplaced = false
  }

  /// In ascending order of stamp.
  private(set) var entries: [Entry]
  private let takeovers: [Int]

  /// - Parameters:
  ///   - births: all that are known under the number, in ascending order of stamp.
  ///   - mayBeTakenOver: otherwise takeovers are births like others.
  init(_ births: [Birth], mayBeTakenOver: Bool = true) {
    entries = births.map { Entry(birth: $0) }
    takeovers = mayBeTakenOver ? births.indices.filter { births[$0].takesOver } : []
    if !takeovers.isEmpty {
      let last = last(takeovers)
      for position in takeovers { entries[position].isDisplaced = position != last }
      for position in entries.indices {
        entries[position].holder = holder(for: births[position].transaction)
      }
    }
    var groups: [Int?: [Int]] = [:]
    for position in entries.indices where !isTakeover(position) {
      groups[entries[position].holder, default: []].append(position)
    }
    for group in groups.values {
      for (position, isDisplaced) in zip(group, displaced(group)) {
        entries[position].isDisplaced = isDisplaced
      }
    }
  }

  var hasTakeovers: Bool { !takeovers.isEmpty }

  private func isTakeover(_ position: Int) -> Bool {
    !takeovers.isEmpty && entries[position].birth.takesOver
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

  // MARK: Places

  private func place(ofHolder holder: Int?) -> Place {
    guard let holder else { return firstPlace }
    return entries[holder].isDisplaced ? .entry(holder) : .same
  }

  /// Where the first holder is.
  var firstPlace: Place { takeovers.isEmpty ? .same : .first }

  /// Where the row of an entry is.
  func place(of position: Int) -> Place {
    if entries[position].isDisplaced { return .entry(position) }
    return isTakeover(position) ? .same : place(ofHolder: entries[position].holder)
  }

  /// Where the row is that a transaction means by the number.
  func meaning(by transaction: BatchTransaction) -> Place {
    entry(meantBy: transaction).map(place(of:)) ?? firstPlace
  }

  /// The entry whose row a transaction means by the number; `nil` for the first holder.
  func entry(meantBy transaction: BatchTransaction) -> Int? {
    let holder = holder(for: transaction)
    let seen = entries.indices.filter {
      !isTakeover($0) && entries[$0].holder == holder && isBefore(transaction, $0)
    }
    return last(seen) ?? holder
  }

  /// Where the row is that a transaction inserts under the number.
  func birthplace(in transaction: BatchTransaction) -> Place {
    position(of: transaction.side).map(place(of:))
      ?? place(ofHolder: holder(for: transaction))
  }

  /// The entry of a transaction.
  func position(of side: Conflict.Side) -> Int? {
    entries.firstIndex { $0.birth.transaction.side == side }
  }

  /// Where the row goes which the author of a takeover has under this number.
  func placeAfterTakeover(by transaction: BatchTransaction) -> Place {
    holder(for: transaction).map { .entry($0) } ?? .first
  }
}
