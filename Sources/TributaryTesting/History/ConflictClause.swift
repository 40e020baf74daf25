internal import TributaryCore

/// The conflict clause of a constraint of a random table.
enum ConflictClause: String, CaseIterable, Sendable {
  case rollback, abort, fail, ignore, replace

  var definition: String { " ON CONFLICT \(rawValue.uppercased())" }

  /// Returns a clause for a constraint; `nil` for none.
  ///
  /// - Parameter replacing: whether it may delete rows.
  static func random(
    replacing: Bool, using random: inout some RandomNumberGenerator
  ) -> ConflictClause? {
    if random.once(in: 3) { return nil }
    // Applications usually declare the first one.
    let clauses: [ConflictClause] = [
      .replace, .replace, .ignore, .ignore, .fail, .abort, .rollback,
    ]
    let clause = random.pick(clauses)
    return clause == .replace && !replacing ? nil : clause
  }
}
