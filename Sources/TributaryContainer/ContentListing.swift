/// The contents of a content directory, by their names alone.
package struct ContentListing: Equatable, Sendable {
  /// The peers, in ascending order.
  package var peers: [PeerListing] = []
  /// The entries among the peers' directories that are not peers' directories, in ascending order.
  package var ignored: [IgnoredFile] = []

  /// An empty listing.
  package init() {}
}
