package import TributaryCore

/// What a merge could not keep visible.
package struct ReferenceConflict: Sendable {
  package enum Kind: String, Sendable, CaseIterable {
    case update, delete, insert, unique
    case foreignKey = "foreign key"
  }

  package var table: String
  /// The key as the row spells it; for a dead row, as the loser spells it.
  package var key: [Value]
  package var kind: Kind
  package var isHeld: Bool
  package var values: [String: Value]
  package var winner: ReferenceSide
  package var loser: ReferenceSide

  package init(
    table: String, key: [Value], kind: Kind, isHeld: Bool = false, values: [String: Value],
    winner: ReferenceSide, loser: ReferenceSide
  ) {
    self.table = table
    self.key = key
    self.kind = kind
    self.isHeld = isHeld
    self.values = values
    self.winner = winner
    self.loser = loser
  }
}

extension ReferenceConflict: CustomStringConvertible {
  /// A text that is different for different conflicts.
  package var description: String {
    let key = key.map(\.literal).joined(separator: ", ")
    let values = values.sorted { $0.key < $1.key }.map { "\($0.key) = \($0.value.literal)" }
    return "\(table) (\(key)) \(isHeld ? "held by " : "")\(kind.rawValue): "
      + "\(values.joined(separator: ", ")); \(winner) over \(loser)"
  }
}

extension ReferenceConflict: Equatable {
  /// Compares value by value, to the bit.
  package static func == (a: ReferenceConflict, b: ReferenceConflict) -> Bool {
    a.description == b.description
  }
}
