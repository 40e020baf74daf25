import Synchronization
import TributaryContainer
import TributaryCore
import TributaryFiles
import TributaryReplay

/// The peers' manifests; each is read once as long as its file does not change.
final class ManifestCache: Sendable {
  private struct State {
    var files: [PeerIdentity: FileStatus] = [:]
    var manifests: [PeerIdentity: PeerManifest] = [:]
    /// The same, in order of peer, as of a generation.
    var ordered: (generation: Int, manifests: [PeerManifest]) = (0, [])
    var generation = 0
    /// The peer whose store asks.
    var own: PeerIdentity?
  }

  private let state = Mutex(State())

  /// Returns the manifests of all peers in a listing. For one that cannot be examined or read now, the last
  /// known one counts; without that, it is left out.
  ///
  /// - Parameter statuses: those of their files, in the order of the listing, if they are known.
  /// - Parameter own: the peer that asks: of receipts, only what concerns it is read. Without it, all of them
  ///   are, but not the times of what a horizon has.
  /// - Parameter horizons: those above which receipts may be written.
  /// - Returns: the manifests, and a temporary obstacle to knowing one: it is then unknown which transactions
  ///   its peer has issued again, and by which rules it merges.
  /// - Complexity: one status per file, and reading those that have changed.
  func read(
    _ listing: ContentListing, _ statuses: [FileStatus?]? = nil, in directory: ContentDirectory,
    for own: PeerIdentity? = nil,
    _ environment: StoreEnvironment, horizons: KnownHorizons = KnownHorizons()
  ) -> PeerManifests {
    let peers = listing.peers.filter(\.hasManifest).map(\.peer)
    let looks: [Result<FileStatus?, ContainerError>] =
      statuses.map { zip(listing.peers, $0).filter(\.0.hasManifest).map { .success($0.1) } }
      ?? environment.looks(peers.map(directory.manifest))
    return state.withLock { state in
      if state.own != own { state = State(generation: state.generation, own: own) }
      var files: [PeerIdentity: FileStatus] = [:]
      var failures: [PeerIdentity: ContainerError] = [:]
      for (peer, look) in zip(peers, looks) {
        switch look {
        case .success(let status): files[peer] = status
        case .failure(let error): failures[peer] = error
        }
      }
      let present = Set(files.keys).union(failures.keys)
      let news = files.filter { state.files[$0.key] != $0.value }
      if !news.isEmpty || !state.manifests.keys.allSatisfy(present.contains) {
        let atHand = FilesAtHand(environment.fileSystem)
        atHand.fetchTogether(news.keys.map(directory.manifest))
        for peer in news.keys {
          do throws(ContainerError) {
            state.manifests[peer] = try PeerManifest.read(
              of: peer, in: directory, about: own, using: atHand, horizons: horizons,
              includesTimes: own != nil)
          } catch {
            // `status` reports what is wrong with it; the file is read again next time.
            files[peer] = nil
            failures[peer] = error
          }
        }
        state.manifests = state.manifests.filter { present.contains($0.key) }
        state.generation += 1
      }
      state.files = files
      // The baseline that was missing may have come since.
      for (peer, manifest) in state.manifests {
        guard let identifier = manifest.receiptHorizon,
          let declaration = horizons.declaration(
            identifier, in: directory, using: environment.fileSystem)
        else { continue }
        state.manifests[peer] = manifest.resolved(
          by: declaration, about: own, includesTimes: own != nil)
        state.generation += 1
      }
      var failure: ContainerError?
      for peer in peers where state.manifests[peer] == nil && failure == nil {
        if let error = failures[peer], error.mayPass { failure = error }
      }
      if state.ordered.generation != state.generation {
        state.ordered = (
          state.generation, state.manifests.values.sorted { $0.peer < $1.peer }
        )
      }
      return PeerManifests(
        directory: directory, all: state.manifests, ordered: state.ordered.manifests,
        generation: state.generation, failure: failure)
    }
  }
}

extension ContainerError {
  /// Whether the error is temporary and says nothing about the file.
  fileprivate var mayPass: Bool {
    guard code == .inaccessible || code == .unresponsive else { return false }
    return !((underlying as? FileError)?.code.isPermission ?? false)
  }
}
