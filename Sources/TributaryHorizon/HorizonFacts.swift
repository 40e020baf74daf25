package import TributaryCore

/// What peers have stated about themselves. Facts are only added: an old statement has fewer facts, but no
/// wrong ones.
package struct HorizonFacts: Hashable, Sendable {
  /// What each identity has imported and made.
  package private(set) var receipts: [PeerIdentity: Knowledge] = [:]
  /// Who has promised a declaration, by its identifier.
  package private(set) var promised: [UInt64: Set<PeerIdentity>] = [:]
  /// Declarations that some peer obeys, or that a complete baseline declares.
  private var declared: Set<UInt64> = []
  /// All declarations whose text is known, by identifier.
  package private(set) var declarations: [UInt64: Declaration] = [:]

  package init() {}

  /// Adds the fact that an identity has imported and made all of `knowledge`.
  package mutating func add(receipt knowledge: Knowledge, of peer: PeerIdentity) {
    receipts[peer, default: Knowledge()].formUnion(knowledge)
  }

  /// Adds the text of a declaration, whether or not it is declared.
  package mutating func add(_ declaration: Declaration) {
    declarations[declaration.identifier] = declaration
  }

  /// Adds the fact that an identity has promised a declaration. The text may come from another peer.
  package mutating func add(promise identifier: UInt64, of peer: PeerIdentity) {
    promised[identifier, default: []].insert(peer)
  }

  /// Adds the fact that some peer obeys a declaration, or that a complete baseline declares it.
  package mutating func add(declared identifier: UInt64) { declared.insert(identifier) }

  /// Whether all members have promised it, or some peer knows that they have (rule 8).
  package func isDeclared(_ declaration: Declaration) -> Bool {
    declared.contains(declaration.identifier)
      || promised[declaration.identifier, default: []].isSuperset(of: declaration.members)
  }

  /// The last declaration that is known to be declared.
  package var latest: Declaration? { declarations.values.filter(isDeclared).max() }
}
