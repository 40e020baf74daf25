package import TributaryCore

/// Why a store does not promise a declaration.
package enum PromiseRefusal: Hashable, Sendable {
  /// It has promised it, or obeys it.
  case promised
  /// It has found that others can never promise it.
  case void
  /// Its current identity is not a member.
  case notMember
  /// The declaration comes before this one, or its horizon lacks part of this one's horizon.
  case doesNotFollow(Declaration)
  /// The store has not imported this part of the horizon.
  case lacks(Knowledge.Entry)
  /// The store has this transaction, whose author did not know all of the horizon.
  case notQuiet(Antecedents)
}
