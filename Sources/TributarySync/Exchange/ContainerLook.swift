import TributaryContainer
import TributaryCore
import TributaryFiles

/// What a synchronisation depends on, as far as it can be seen without reading a file. If this is the same as
/// before a synchronisation that found nothing to do, there is nothing to do now either.
struct ContainerLook: Equatable {
  let listing: ContentListing
  /// The status of each peer's manifest, in the order of the listing.
  let manifests: [FileStatus?]
  /// The status of the store's own directories, its segments, and its baselines as far as they are known. The
  /// status of a directory shows whether files disappeared, came back and disappeared again since.
  private let own: [FileStatus?]
  private let store: StoreLook.State

  /// Takes a look with one hand-over to the container's thread.
  ///
  /// - Throws: if the container cannot be examined completely.
  init(
    _ store: StoreLook.State, _ peer: PeerIdentity, _ directory: ContentDirectory,
    _ environment: StoreEnvironment, _ memory: ExchangeMemory
  ) throws {
    self.store = store
    let segments = SegmentStore(directory, peer: peer, using: environment.localFiles)
    let paths =
      [directory.peer(peer), directory.log(of: peer)]
      + store.segments.map { segments.path(of: $0) }
      + memory.baselines.known(in: directory.baseline(of: peer))
    (listing, own, manifests) = try environment.look(directory, paths, memory.listings)
  }
}
