import TributaryCore

/// The history of one number: the rows to which it was given, and which of them have it.
///
/// A *takeover* gives a number that belongs to a held row to another row; from then on, the former row lives
/// under a fresh number. The *holder* of a number, for an author, is the last takeover that the author knew
/// or made, and the first holder if there was none.
struct NumberHistory {
  /// The place of a row.
  enum Place: Equatable {
    /// The row has the number.
    case same
    /// The row is the first holder and has its fresh number.
    case first
    /// The row has the fresh number of the entry at a position.
    case entry(Int)
  }

  struct Entry {
    var numbering: Numbering
    /// A position among the entries; `nil` for the first holder.
    var holder: Int?
    /// Whether it collided by accident with an earlier entry, or lost the number to another takeover.
    var isDisplaced = false
  }

  /// The entries, in ascending order of stamp.
  private(set) var entries: [Entry]
  private let takeovers: [Int]

  /// Makes a history.
  ///
  /// - Parameters:
  ///   - numberings: all known numberings under the number, in ascending order of stamp.
  ///   - mayBeTakenOver: whether takeovers count as such; otherwise, they are treated as ordinary numberings.
  init(_ numberings: [Numbering], mayBeTakenOver: Bool = true) {
    entries = numberings.map { Entry(numbering: $0) }
    takeovers = mayBeTakenOver ? numberings.indices.filter { numberings[$0].takesOver } : []
    if !takeovers.isEmpty {
      let last = last(takeovers)
      for position in takeovers { entries[position].isDisplaced = position != last }
      for position in entries.indices {
        entries[position].holder = holder(for: numberings[position].transaction)
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
    !takeovers.isEmpty && entries[position].numbering.takesOver
  }

  /// Returns which of some entries, in ascending order, lose the number: those that collided by accident with
  /// an earlier entry that keeps it.
  private func displaced(_ positions: [Int]) -> [Bool] {
    var displaced: [Bool] = []
    var staying: [Numbering] = []
    for position in positions {
      let numbering = entries[position].numbering
      displaced.append(staying.contains { $0.isAccident(with: numbering) })
      if displaced[displaced.count - 1] == false { staying.append(numbering) }
    }
    return displaced
  }

  /// Returns the last of some entries, in ascending order, that keeps the number.
  private func last(_ positions: [Int]) -> Int? {
    displaced(positions).lastIndex(of: false).map { positions[$0] }
  }

  private func isBefore(_ transaction: BatchTransaction, _ position: Int) -> Bool {
    let side = entries[position].numbering.transaction.side
    return transaction.saw(side) || side == transaction.side
  }

  /// Returns the holder of the number, as the author of a transaction sees it after the transaction.
  private func holder(for transaction: BatchTransaction) -> Int? {
    takeovers.isEmpty ? nil : last(takeovers.filter { isBefore(transaction, $0) })
  }

  // MARK: Places

  private func place(ofHolder holder: Int?) -> Place {
    guard let holder else { return firstPlace }
    return entries[holder].isDisplaced ? .entry(holder) : .same
  }

  /// The place of the first holder.
  var firstPlace: Place { takeovers.isEmpty ? .same : .first }

  /// Returns the place of an entry's row.
  func place(of position: Int) -> Place {
    if entries[position].isDisplaced { return .entry(position) }
    return isTakeover(position) ? .same : place(ofHolder: entries[position].holder)
  }

  /// Returns the place of the row that a transaction means by the number.
  func meaning(by transaction: BatchTransaction) -> Place {
    entry(meantBy: transaction).map(place(of:)) ?? firstPlace
  }

  /// Returns the entry whose row a transaction means by the number; `nil` for the first holder.
  func entry(meantBy transaction: BatchTransaction) -> Int? {
    let holder = holder(for: transaction)
    let seen = entries.indices.filter {
      !isTakeover($0) && entries[$0].holder == holder && isBefore(transaction, $0)
    }
    return last(seen) ?? holder
  }

  /// Returns the place of the row that a transaction inserts under the number.
  func placeOfInsert(in transaction: BatchTransaction) -> Place {
    position(of: transaction.side).map(place(of:))
      ?? place(ofHolder: holder(for: transaction))
  }

  /// Returns the position of a transaction's entry.
  func position(of side: Conflict.Side) -> Int? {
    entries.firstIndex { $0.numbering.transaction.side == side }
  }

  /// Returns the place to which the row moves that the author of a takeover has under this number.
  func placeAfterTakeover(by transaction: BatchTransaction) -> Place {
    holder(for: transaction).map { .entry($0) } ?? .first
  }
}
