package import TributaryCore

/// A transaction for a store to run: its statements one after another between BEGIN and COMMIT.
///
/// A statement may violate a constraint. This is part of the history: the caller ignores the error,
/// continues with the next statement, and commits.
package struct RandomWrite: Sendable {
  package var statements: [RandomStatement]

  /// The intention, for messages.
  package var purpose: String

  package init(_ purpose: String, _ statements: [RandomStatement]) {
    self.purpose = purpose
    self.statements = statements
  }

  /// Returns the rows that it deletes and reinserts, whatever else happens to them: the rows in
  /// `before` that were deleted and afterwards inserted by something that was not rolled back.
  package func reinserted(
    before: ReferenceContents, schema: ReferenceSchema
  ) -> Set<ReferenceRowIdentity> {
    var replay = KeyReplay(before: before, schema: schema)
    for statement in statements { replay.run(statement.effect) }
    return replay.reinserted
  }
}

extension RandomWrite: CustomStringConvertible {
  package var description: String {
    "-- \(purpose)\n" + statements.map(\.description).joined(separator: "\n")
  }
}

/// One statement, its parameters in order, and its effect on keys.
package struct RandomStatement: Sendable {
  package var sql: String
  package var parameters: [Value]
  package var effect: KeyEffect

  package init(_ sql: String, _ parameters: [Value] = [], effect: KeyEffect = .none) {
    self.sql = sql
    self.parameters = parameters
    self.effect = effect
  }
}

extension RandomStatement: CustomStringConvertible {
  package var description: String {
    let values = parameters.map { value in
      let literal = value.literal
      return literal.utf8.count > 80 ? "\(literal.prefix(70))…" : literal
    }.joined(separator: ", ")
    return values.isEmpty ? "\(sql);" : "\(sql); -- \(values)"
  }
}
