/// The births under one number.
struct Household {
  /// Whose the number is: of the rows from before the first takeover, or from one on.
  enum Holder: Hashable {
    case first
    case takeover(ReferenceSide)
  }

  /// Where a row is.
  enum Place {
    /// It has the number.
    case same
    /// The first holder has its fresh number.
    case first
    /// It has the fresh number of its birth.
    case born(Birth)
  }

  /// In ascending order of stamp.
  var births: [Birth] = []

  private var takeovers: [Birth] { births.filter(\.takesOver) }

  /// Those of some births that an earlier one, which is not among the result, has met by accident.
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

  /// The last of some births that none displaces.
  private static func last(_ births: [Birth]) -> Birth? {
    let displaced = displaced(births)
    return births.last { !displaced.contains($0.identity) }
  }

  /// Whose the number was when a transaction had been written, for its author.
  private func holder(for transaction: ReferenceTransaction) -> Holder {
    Self.last(takeovers.filter { $0.isBefore(transaction) }).map { .takeover($0.identity) }
      ?? .first
  }

  /// Where a holder is.
  func place(of holder: Holder) -> Place {
    guard let last = Self.last(takeovers) else { return .same }
    guard case .takeover(let side) = holder else { return .first }
    return side == last.identity ? .same : .born(births.first { $0.identity == side }!)
  }

  /// The births that are no takeovers, of one holder.
  private func births(of holder: Holder) -> [Birth] {
    births.filter { !$0.takesOver && self.holder(for: $0.transaction) == holder }
  }

  /// Where the row of a birth is.
  func place(of birth: Birth) -> Place {
    let holder = holder(for: birth.transaction)
    let isDisplaced =
      !birth.takesOver && Self.displaced(births(of: holder)).contains(birth.identity)
    return isDisplaced ? .born(birth) : place(of: holder)
  }

  /// The birth of the row that the author of a transaction meant; `nil` is the first holder.
  func meaning(by transaction: ReferenceTransaction) -> Birth? {
    let holder = holder(for: transaction)
    let seen = births(of: holder).filter { $0.isBefore(transaction) }
    if let birth = Self.last(seen) { return birth }
    guard case .takeover(let side) = holder else { return nil }
    return births.first { $0.identity == side }
  }

  /// Without what an author did not have.
  func seen(by transaction: ReferenceTransaction) -> Household {
    Household(births: births.filter { transaction.saw($0.transaction) })
  }
}
