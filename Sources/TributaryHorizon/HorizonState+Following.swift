package import TributaryCore

/// What a store does about a declaration that it has not promised.
package enum DeclarationAnswer: Hashable, Sendable {
  /// It obeys this one or a later one, or has promised it.
  case nothing
  /// It obeys it.
  case follow
  /// The declaration fits, and the store follows it once it has imported the rest of the horizon.
  case importHorizon(Knowledge.Entry)
  /// It comes back through a baseline of the declaration (rule 12).
  case comeBack
}

extension HorizonState {
  /// Returns what to do about a declared horizon (rules 10 and 11).
  ///
  /// - Parameters:
  ///   - declaration: a declaration that is known to be declared and of which there is a complete baseline.
  ///   - imported: everything that the store has imported and made.
  ///   - beyond: the transactions that the store has and the horizon lacks.
  ///   - missing: the transactions that the horizon has and the store lacks, as far as logs still have them.
  package func answer(
    to declaration: Declaration, having imported: Knowledge, beyond: some Sequence<Antecedents>,
    missing: some Sequence<Antecedents>
  ) -> DeclarationAnswer {
    if let obeyed, declaration <= obeyed { return .nothing }
    if promises.contains(declaration) { return .nothing }
    // A promise binds until it is declared or void; only a different identity is free of it.
    guard promises.isEmpty else { return .comeBack }
    if let obeyed, !declaration.horizon.isSuperset(of: obeyed.horizon) { return .comeBack }
    guard beyond.allSatisfy(declaration.admits) else { return .comeBack }
    guard let entry = imported.firstMissing(from: declaration.horizon) else { return .follow }
    return missing.allSatisfy(admits) ? .importHorizon(entry) : .comeBack
  }

  /// Obeys a declaration for which the answer was `follow`, or through whose baseline the store has come
  /// back.
  package mutating func follow(_ declaration: Declaration) {
    obeyed = declaration
    promises = []
    dropped = []
  }
}
