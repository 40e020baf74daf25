import TributaryContainer
import TributaryCore
import TributaryFiles

/// What a synchronisation depends on, as far as it shows without reading a file: where it is the
/// same as before one that found nothing to do, there is nothing to do now.
struct ContainerLook: Equatable {
  private var listing: ContentListing
  /// Of the store's own directories, its segments, and the manifests of all peers. That of the
  /// segments tells when some went, came back and went again since.
  private var statuses: [FileStatus?]
  private var store: StoreLook.State

  /// Takes one, of the container in a single hand-over.
  ///
  /// - Throws: where the container cannot be looked at in full.
  init(
    _ store: StoreLook.State, _ peer: PeerIdentity, _ directory: ContentDirectory,
    _ environment: Environment
  ) throws {
    self.store = store
    let segments = SegmentStore(directory, peer: peer, using: environment.localFiles)
    let own =
      [directory.peer(peer), directory.log(of: peer)]
      + store.segments.map { segments.path(of: $0) }
    (listing, statuses) = try environment.look(directory, own)
  }
}
