package import TributaryCore

/// Why a store does not promise a declaration.
package enum PromiseRefusal: Hashable, Sendable {
  /// It has promised it, or obeys it.
  case promised
  /// It has found that others can never promise it.
  case void
  /// Its present identity is no member.
  case notMember
  /// The declaration comes before this one, or its horizon lacks some of this one's.
  case doesNotFollow(Declaration)
  /// The store has not imported this of the horizon.
  case lacks(Knowledge.Entry)
  /// The store has this, whose author did not know all of the horizon.
  case notQuiet(Antecedents)
}
