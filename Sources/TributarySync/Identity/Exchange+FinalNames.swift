import TributaryCore
import TributaryHorizon
import TributaryStore

/// Names of transactions in declared horizons, which are final (rule 3 of `docs/space.md`).
extension Exchange {
  /// Returns the last transaction of a peer whose name is final because it is in the horizon that the store
  /// obeys.
  func finalName(of peer: PeerIdentity) throws -> SequenceNumber {
    try obeyed()?.horizon[peer] ?? .zero
  }

  /// Returns the last own transaction whose name is final, unless other devices have declared a later one.
  func finalOwnName() throws -> SequenceNumber {
    guard let obeyed = try obeyed(), try !isDeclared(after: obeyed, { _ in true }) else {
      return .zero
    }
    return obeyed.horizon[own]
  }

  /// Whether other devices have agreed to forget a transaction under the store's own identity, so that it may
  /// never arrive.
  func isForgotten(_ sequence: SequenceNumber) throws -> Bool {
    guard environment.horizons.isOn else { return false }
    return try isDeclared(after: obeyed()) { sequence <= $0.horizon[own] }
  }

  private func obeyed() throws -> Declaration? {
    guard environment.horizons.isOn else { return nil }
    return try HorizonRecord.ifReadable(connection)?.state.obeyed
  }

  /// Whether a baseline declares something later that matches.
  private func isDeclared(
    after obeyed: Declaration?, _ matches: (Declaration) -> Bool
  ) throws -> Bool {
    try memory.baselines.all(of: self).contains { baseline in
      guard let declaration = baseline.header.declaration else { return false }
      return (obeyed.map { $0 < declaration } ?? true) && matches(declaration)
    }
  }
}
