public import TributaryCore

/// What a store has done to come back (rule 12 of `docs/space-return.md`).
public struct ReturnReport: Hashable, Sendable {
  /// The identifier of the declaration that it obeys now.
  public var declaration: UInt64
  /// The path of the baseline whose contents it has taken.
  public var baseline: String
  /// Its former identity; `nil` if it has kept it.
  public var former: PeerIdentity?
  /// A retired peer for which the store has issued again what no store could import any more; `nil` if this
  /// was not the reason for coming back.
  public var retired: PeerIdentity?
  /// The number of transactions of this store that the others could not import as they were.
  public var fenced: Int
  /// The number of such transactions that it had imported from others.
  public var fencedOfOthers: Int
  /// The number of transactions in which it has issued again what these had changed.
  public var reissued: Int
  /// The number of rows that these had deleted and that are there again, since others may have written them.
  public var undeleted: Int

  package init(
    declaration: UInt64, baseline: String, former: PeerIdentity? = nil, fenced: Int = 0,
    fencedOfOthers: Int = 0, reissued: Int = 0, undeleted: Int = 0
  ) {
    self.declaration = declaration
    self.baseline = baseline
    self.former = former
    self.fenced = fenced
    self.fencedOfOthers = fencedOfOthers
    self.reissued = reissued
    self.undeleted = undeleted
  }
}
