/// The births under one number.
struct Household {
  /// The holder of the number: the rows from before the first takeover, or those from a takeover
  /// on.
  enum Holder: Hashable {
    case first
    case takeover(ReferenceSide)
  }

  /// The place of a row.
  enum Place {
    /// The row has the number.
    case same
    /// The row is the first holder and has its fresh number.
    case first
    /// The row has the fresh number of its birth.
    case born(Birth)
  }

  /// The births, in ascending order of stamp.
  var births: [Birth] = []

  /// Whether two devices have given the number by accident, or one has given it again.
  var haveMet: Bool { !Self.displaced(births).isEmpty || !takeovers.isEmpty }

  private var takeovers: [Birth] { births.filter(\.takesOver) }

  /// Returns those of some births that have met, by accident, an earlier one that is not in the
  /// result.
  private static func displaced(_ births: [Birth]) -> Set<ReferenceSide> {
    var displaced: Set<ReferenceSide> = []
    var staying: [Birth] = []
    for birth in births {
      if staying.contains(where: { $0.isAccident(with: birth) }) {
        displaced.insert(birth.identity)
      } else {
        staying.append(birth)
      }
    }
    return displaced
  }

  /// Returns the last of some births that none displaces.
  private static func last(_ births: [Birth]) -> Birth? {
    let displaced = displaced(births)
    return births.last { !displaced.contains($0.identity) }
  }

  /// Returns the holder of the number for the author of a transaction, after the transaction.
  private func holder(for transaction: ReferenceTransaction) -> Holder {
    Self.last(takeovers.filter { $0.isBefore(transaction) }).map { .takeover($0.identity) }
      ?? .first
  }

  /// Returns the place of a holder.
  func place(of holder: Holder) -> Place {
    guard let last = Self.last(takeovers) else { return .same }
    guard case .takeover(let side) = holder else { return .first }
    return side == last.identity ? .same : .born(births.first { $0.identity == side }!)
  }

  /// Returns the births of one holder that are not takeovers.
  private func births(of holder: Holder) -> [Birth] {
    births.filter { !$0.takesOver && self.holder(for: $0.transaction) == holder }
  }

  /// Returns the place of a birth's row.
  func place(of birth: Birth) -> Place {
    let holder = holder(for: birth.transaction)
    let isDisplaced =
      !birth.takesOver && Self.displaced(births(of: holder)).contains(birth.identity)
    return isDisplaced ? .born(birth) : place(of: holder)
  }

  /// Returns the birth of the row that the author of a transaction meant; `nil` means the first
  /// holder.
  func meaning(by transaction: ReferenceTransaction) -> Birth? {
    let holder = holder(for: transaction)
    let seen = births(of: holder).filter { $0.isBefore(transaction) }
    if let birth = Self.last(seen) { return birth }
    guard case .takeover(let side) = holder else { return nil }
    return births.first { $0.identity == side }
  }

  /// Returns the births without what an author did not have.
  func seen(by transaction: ReferenceTransaction) -> Household {
    Household(births: births.filter { transaction.saw($0.transaction) })
  }
}
