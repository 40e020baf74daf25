import Synchronization
import TributaryContainer
import TributaryCore
import TributaryFiles
import TributaryReplay

/// The peers' manifests. Each is read once, until its file changes.
final class ManifestCache: Sendable {
  fileprivate struct State {
    var files: [PeerIdentity: FileStatus] = [:]
    var manifests: [PeerIdentity: PeerManifest] = [:]
    /// Peers whose receipt is above a horizon that is not known yet.
    var unresolved: Set<PeerIdentity> = []
    /// The manifests in order of peer, and those of the peers other than `own`, as of a generation.
    var ordered: (generation: Int, all: [PeerManifest], others: [PeerManifest]) = (0, [], [])
    var generation = 0
    /// The peer whose store asks.
    var own: PeerIdentity?
    /// The only peer whose entries the receipts have, if they are not whole.
    var subject: PeerIdentity?
    /// What an earlier session has noted, until the first reading.
    var notes: PeerNotes?
    var readCount = 0
  }

  private let state = Mutex(State())

  /// Returns the manifests of all peers in a listing. For a manifest that cannot be examined or read now, the
  /// last known version counts. If there is none, the manifest is left out.
  ///
  /// - Parameter statuses: the statuses of their files, in the order of the listing, if they are known.
  /// - Parameter own: the peer that asks. If there are more peers than `environment.mostWholeReceipts`, only the
  ///   parts of their receipts that concern it are read. Without it, receipts are read whole, but not the times of what a horizon has.
  /// - Parameter horizons: the horizons above which receipts may be written.
  /// - Returns: the manifests, and the temporary obstacle if one could not be read. It is then unknown which
  ///   transactions its peer has issued again, and by which rules it merges.
  /// - Complexity: one status per file, and reading those that have changed.
  func read(
    _ listing: ContentListing, _ statuses: [Result<FileStatus?, ContainerError>]? = nil,
    in directory: ContentDirectory, for own: PeerIdentity? = nil,
    _ environment: StoreEnvironment, horizons: KnownHorizons = KnownHorizons()
  ) -> PeerManifests {
    let peers = listing.peers.filter(\.hasManifest).map(\.peer)
    let looks =
      statuses.map { zip(listing.peers, $0).filter(\.0.hasManifest).map(\.1) }
      ?? environment.looks(peers.map(directory.manifest))
    let subject = peers.count > environment.mostWholeReceipts ? own : nil
    return state.withLock { state in
      if state.own != own || state.subject != subject {
        // Of what was read, another part is wanted.
        state = State(
          generation: state.generation, own: own, subject: subject, notes: state.notes)
      }
      var files = [PeerIdentity: FileStatus](minimumCapacity: peers.count)
      var failures: [PeerIdentity: ContainerError] = [:]
      for (peer, look) in zip(peers, looks) {
        switch look {
        case .success(let status): files[peer] = status
        case .failure(let error): failures[peer] = error
        }
      }
      state.takeNotes(files)
      func isPresent(_ peer: PeerIdentity) -> Bool { files[peer] != nil || failures[peer] != nil }
      let news = files.filter { state.files[$0.key] != $0.value }
      let gone = state.manifests.keys.filter { !isPresent($0) }
      if !news.isEmpty || !gone.isEmpty {
        let atHand = FilesAtHand(environment.fileSystem)
        atHand.fetchTogether(news.keys.map(directory.manifest))
        state.readCount += news.count
        for peer in news.keys {
          do throws(ContainerError) {
            let manifest = try PeerManifest.read(
              of: peer, in: directory, about: subject, using: atHand, horizons: horizons,
              includesTimes: own != nil)
            state.manifests[peer] = manifest
            if manifest == nil { files[peer] = nil }
            if manifest?.receiptHorizon != nil { state.unresolved.insert(peer) }
          } catch {
            // `status` reports what is wrong with the file. It is read again next time.
            files[peer] = nil
            failures[peer] = error
          }
        }
        for peer in gone { state.manifests[peer] = nil }
        state.generation += 1
      }
      state.files = files
      // The missing baseline may have arrived since.
      for peer in state.unresolved {
        guard let manifest = state.manifests[peer], let identifier = manifest.receiptHorizon
        else {
          state.unresolved.remove(peer)
          continue
        }
        guard
          let declaration = horizons.declaration(
            identifier, in: directory, using: environment.fileSystem)
        else { continue }
        state.manifests[peer] = manifest.resolved(
          by: declaration, about: subject, includesTimes: own != nil)
        state.generation += 1
      }
      var failure: ContainerError?
      for peer in peers where state.manifests[peer] == nil && failure == nil {
        if let error = failures[peer], error.mayPass { failure = error }
      }
      if state.ordered.generation != state.generation {
        // Manifests are large. Moving them while sorting would take the most time.
        let all = peers.compactMap { state.manifests[$0] }
        state.ordered = (state.generation, all, all.filter { $0.peer != own })
      }
      var manifests = PeerManifests(
        directory: directory, all: state.manifests, ordered: state.ordered.all,
        others: (own, state.ordered.others),
        generation: state.generation, failure: failure,
        newer: Self.sorted(failures) { $0.code == .newerFormat },
        damaged: Self.sorted(failures.filter { $0.key != own }) {
          $0.code == .damagedFile || $0.code == .foreign
        },
        denied: Self.sorted(failures.filter { $0.key != own }, where: \.isDenied))
      manifests.hasWholeReceipts = subject == nil
      manifests.hasVanished = files.count + failures.count < peers.count
      return manifests
    }
  }

  /// How many manifests were read.
  var readCount: Int { state.withLock { $0.readCount } }

  /// Remembers what an earlier session has read of files that have not changed since. Only the first reading
  /// makes use of it.
  func take(_ notes: PeerNotes) { state.withLock { $0.notes = notes } }

  /// Adds what is known of the manifests of each peer that has an entry.
  func note(in notes: inout PeerNotes) {
    state.withLock { state in
      notes.subject = state.subject
      for index in notes.entries.indices {
        let peer = notes.entries[index].peer
        guard let status = state.files[peer], let manifest = state.manifests[peer] else { continue }
        notes.entries[index].read = PeerNotes.Read(status: status, manifest: manifest)
      }
    }
  }

  private static func sorted(
    _ failures: [PeerIdentity: ContainerError], where isWanted: (ContainerError) -> Bool
  ) -> [ContainerError] {
    failures.isEmpty
      ? [] : failures.filter { isWanted($0.value) }.sorted { $0.key < $1.key }.map(\.value)
  }
}

extension ManifestCache.State {
  /// Takes the manifests of all files that have the same status as when an earlier session read them.
  fileprivate mutating func takeNotes(_ present: [PeerIdentity: FileStatus]) {
    guard let notes else { return }
    self.notes = nil
    guard notes.subject == subject else { return }
    files.reserveCapacity(present.count)
    manifests.reserveCapacity(present.count)
    for entry in notes.entries {
      guard let read = entry.read, read.status == present[entry.peer] else { continue }
      files[entry.peer] = read.status
      manifests[entry.peer] = read.manifest
      if read.manifest.receiptHorizon != nil { unresolved.insert(entry.peer) }
    }
    generation += 1
  }
}

extension ContainerError {
  /// Whether the error is temporary and says nothing about the file.
  fileprivate var mayPass: Bool {
    guard code == .inaccessible || code == .unresponsive else { return false }
    return !isDenied
  }
}
