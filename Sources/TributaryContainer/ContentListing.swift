/// The contents of a content directory, by their names alone.
public struct ContentListing: Equatable, Sendable {
  /// The peers, in ascending order.
  public var peers: [PeerListing] = []
  /// The entries among the peers' directories that are not peers' directories, in ascending order.
  public var ignored: [IgnoredFile] = []

  /// An empty listing.
  public init() {}
}
