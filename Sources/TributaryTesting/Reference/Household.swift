/// The numberings under one number.
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
    /// The row has the fresh number of its numbering.
    case numbered(Numbering)
  }

  /// The numberings, in ascending order of stamp.
  var numberings: [Numbering] = []

  /// Whether two devices have given the number by accident, or one device has given it again.
  var haveMet: Bool { !Self.displaced(numberings).isEmpty || !takeovers.isEmpty }

  private var takeovers: [Numbering] { numberings.filter(\.takesOver) }

  /// Returns those numberings that collide by accident with an earlier numbering that is not in the
  /// result.
  private static func displaced(_ numberings: [Numbering]) -> Set<ReferenceSide> {
    var displaced: Set<ReferenceSide> = []
    var staying: [Numbering] = []
    for numbering in numberings {
      if staying.contains(where: { $0.isAccident(with: numbering) }) {
        displaced.insert(numbering.identity)
      } else {
        staying.append(numbering)
      }
    }
    return displaced
  }

  /// Returns the last of the numberings that are not displaced.
  private static func last(_ numberings: [Numbering]) -> Numbering? {
    let displaced = displaced(numberings)
    return numberings.last { !displaced.contains($0.identity) }
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
    return side == last.identity ? .same : .numbered(numberings.first { $0.identity == side }!)
  }

  /// Returns the numberings of one holder that are not takeovers.
  private func numberings(of holder: Holder) -> [Numbering] {
    numberings.filter { !$0.takesOver && self.holder(for: $0.transaction) == holder }
  }

  /// Returns the place of a numbering's row.
  func place(of numbering: Numbering) -> Place {
    let holder = holder(for: numbering.transaction)
    let isDisplaced =
      !numbering.takesOver && Self.displaced(numberings(of: holder)).contains(numbering.identity)
    return isDisplaced ? .numbered(numbering) : place(of: holder)
  }

  /// Returns the numbering of the row that the author of a transaction meant; `nil` means the first
  /// holder.
  func meaning(by transaction: ReferenceTransaction) -> Numbering? {
    let holder = holder(for: transaction)
    let seen = numberings(of: holder).filter { $0.isBefore(transaction) }
    if let numbering = Self.last(seen) { return numbering }
    guard case .takeover(let side) = holder else { return nil }
    return numberings.first { $0.identity == side }
  }

  /// Returns the numberings without what an author did not have.
  func seen(by transaction: ReferenceTransaction) -> Household {
    Household(numberings: numberings.filter { transaction.saw($0.transaction) })
  }
}
