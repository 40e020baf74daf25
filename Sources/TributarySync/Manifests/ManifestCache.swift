import Synchronization
import TributaryContainer
import TributaryCore
import TributaryFiles

/// The files in which peers say who they are, each read once as long as it does not change.
final class ManifestCache: Sendable {
  private struct State {
    var files: [PeerIdentity: FileStatus] = [:]
    var manifests: [PeerIdentity: PeerManifest] = [:]
    var generation = 0
    /// Whose store asks.
    var own: PeerIdentity?
  }

  private let state = Mutex(State())

  /// The manifests of all peers in a listing; one that cannot be read now is left out.
  ///
  /// - Parameter own: the peer that asks: of receipts, only what concerns it is read. Without one,
  ///   all of them are.
  /// - Complexity: one look at each file, and reading those that have changed.
  func read(
    _ listing: ContentListing, in directory: ContentDirectory, for own: PeerIdentity? = nil,
    _ environment: Environment
  ) -> PeerManifests {
    let peers = listing.peers.filter(\.hasManifest).map(\.peer)
    // Those that cannot be looked at are read anew when they can.
    let statuses = (try? environment.statuses(peers.map(directory.manifest))) ?? []
    var files: [PeerIdentity: FileStatus] = [:]
    for (peer, status) in zip(peers, statuses) { files[peer] = status }
    return state.withLock { state in
      if state.own != own { state.files.removeAll() }
      state.own = own
      if files != state.files {
        let news = files.filter { state.files[$0.key] != $0.value }
        let atHand = FilesAtHand(environment.fileSystem)
        environment.fetch(news.keys.map(directory.manifest), into: atHand)
        for peer in news.keys {
          // `status` names what is wrong with it; it is read again next time.
          state.manifests[peer] = try? PeerManifest.read(
            of: peer, in: directory, about: own, using: atHand)
          if state.manifests[peer] == nil { files[peer] = nil }
        }
        state.manifests = state.manifests.filter { files[$0.key] != nil }
        state.files = files
        state.generation += 1
      }
      return PeerManifests(
        directory: directory, all: state.manifests, generation: state.generation)
    }
  }
}
