package import TributaryCore

/// What the changes in a group have in common; `nil` where they may differ.
package struct LogGroup: Hashable, Sendable {
  /// An aspect by which changes can be grouped.
  package enum Aspect: String, CaseIterable, Sendable {
    case peer
    case table
    case day
  }

  package var peer: PeerIdentity?
  package var table: TableName?
  package var day: LogDay?

  /// Whether a group precedes another, ascending by the aspects in this order.
  static func precedes(_ a: LogGroup, _ b: LogGroup, by aspects: [Aspect]) -> Bool {
    for aspect in aspects {
      switch aspect {
      case .peer:
        if let one = a.peer, let other = b.peer, one != other { return one < other }
      case .table:
        if let one = a.table, let other = b.table, one != other { return one < other }
      case .day:
        if let one = a.day, let other = b.day, one != other { return one < other }
      }
    }
    return false
  }
}
