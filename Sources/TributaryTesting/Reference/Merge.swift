internal import TributaryCore

/// What a store shows, and what it cannot show.
package struct ReferenceState: Equatable, Sendable {
  package var visible = ReferenceContents()
  /// The held rows, as they would be.
  package var held = ReferenceContents()
  /// The conflicts, in the order of their descriptions.
  package var conflicts: [ReferenceConflict] = []
  /// The transaction that gave each column of a living row its value.
  package var writers: [ReferenceRowIdentity: [String: ReferenceSide]] = [:]

  /// The number of inserts that meant an existing row, because their values make it the same.
  package var joinedCount = 0

  package init() {}
}

/// Returns what any store that has seen these transactions shows. This is the definition of the
/// merge.
///
/// Rows that were given the same number by accident are distinguished, all transactions are applied
/// in the order of stamps, and what the constraints of the tables do not allow is held back.
///
/// - Parameters:
///   - transactions: in any order, and with everything that each of them knows.
///   - fresh: the numbers of displaced rows.
/// - Precondition: the transactions name only tables and columns of the schema.
package func merge(
  _ transactions: some Sequence<ReferenceTransaction>, schema: ReferenceSchema,
  fresh: @escaping FreshNumbers
) -> ReferenceState {
  let transactions = transactions.sorted { $0.stamp < $1.stamp }
  let numberings = Numberings(of: transactions, schema: schema, fresh: fresh)
  let fold = Fold(of: transactions.map(numberings.read), schema: schema)
  let resolution = Resolution(of: fold)
  var state = ReferenceState()
  state.joinedCount = numberings.joinedCount
  for (identity, row) in fold.living {
    state.writers[identity] = row.writers
    if resolution.verdicts[identity] == .held {
      state.held[identity] = row.values
    } else {
      let masks = resolution.masks(of: identity).map(\.shown)
      state.visible[identity] = masks.reduce(row.values) { $0.merging($1) { $1 } }
    }
  }
  state.conflicts = (lostWrites(in: fold) + hiddenRows(in: resolution))
    .sorted { $0.description < $1.description }
  return state
}
