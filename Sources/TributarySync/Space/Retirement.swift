/// What `retire` did.
public struct Retirement: Sendable {
  /// The peer, as it was before.
  public var standing: PeerStanding
  /// Whether it was counted on until now.
  public var isNews: Bool
  /// The synchronisation that told the others.
  public var report: SyncReport
}
