/// What `retire` did.
public struct Retirement: Sendable {
  /// The peer, as it was before.
  public var standing: PeerStanding
  /// Whether it was counted on until now.
  public var isNews: Bool
  /// The report of the synchronisation that informed the others.
  public var report: SyncReport
}
