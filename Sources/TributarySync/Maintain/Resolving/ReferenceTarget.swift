import TributaryCore
import TributaryStore

/// What a row refers to, compared with rows that are not in their table in the way SQLite would compare it:
/// with the affinities and collations of the parent's columns.
struct ReferenceTarget {
  let reference: Reference
  let values: [Value]
  private let constraints: ConstraintSet

  init(_ reference: Reference, _ values: [Value], _ constraints: ConstraintSet) {
    self.reference = reference
    self.values = values
    self.constraints = constraints
  }

  /// Whether a whole row of the parent's table is the referenced one.
  func matches(_ row: [Conflict.Cell]) throws -> Bool {
    try reference.parentColumns.indices.allSatisfy { try compare($0, row) ?? false }
  }

  /// Whether a row that includes these values may be the referenced one: it has at least one of the
  /// referenced values, and no different value in place of one.
  func mayMatch(_ given: [Conflict.Cell]) throws -> Bool {
    let found = try reference.parentColumns.indices.compactMap { try compare($0, given) }
    return !found.isEmpty && found.allSatisfy { $0 }
  }

  /// Compares one column.
  ///
  /// - Returns: `nil` if the column is not given.
  private func compare(_ place: Int, _ row: [Conflict.Cell]) throws -> Bool? {
    guard let value = row.value(of: reference.parentColumns[place]) else { return nil }
    return try constraints.areEqual(value, values[place], in: reference, column: place)
  }
}
