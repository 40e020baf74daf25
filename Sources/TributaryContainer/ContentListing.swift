/// What a content directory holds, by its names alone.
public struct ContentListing: Equatable, Sendable {
  /// In ascending order of peer.
  public var peers: [PeerListing] = []
  /// What lies among the peers' directories and is none, in ascending order.
  public var ignored: [IgnoredFile] = []

  /// An empty listing.
  public init() {}
}
