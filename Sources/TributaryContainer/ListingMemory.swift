internal import Synchronization
import TributaryCore
import TributaryFiles

/// The listings of peers' directories that one session has made and need not repeat as long as the stamps are
/// the same. Most peers of a large container write nothing for a long time.
package final class ListingMemory: Sendable {
  private struct State {
    var directory: ContentDirectory?
    var peers: [PeerIdentity: Known] = [:]
    var scanCount = 0
    /// How many peers have been listed.
    var listedCount = 0
  }

  private struct Known {
    /// The stamps of the peer's directory and of its log, taken before they were listed.
    var stamps: [DirectoryStamp]
    var listing: PeerListing
    let paths: Paths
    /// The status of its `peer.json`, taken after the stamps; `nil` if it was not requested.
    var manifest: FileStatus??
  }

  /// The paths that are checked each time.
  private struct Paths {
    let directory: String
    let log: String
    let manifest: String

    init(of peer: PeerIdentity, in directory: ContentDirectory) {
      self.directory = directory.peer(peer)
      log = directory.log(of: peer)
      manifest = directory.manifest(of: peer)
    }
  }

  private let state = Mutex(State())

  /// For this many scans, directories that seem unchanged are not listed; then all are. A clock that was set
  /// back may repeat a stamp.
  static let scansBetween = 60

  /// A manifest that is replaced gives the peer's directory another stamp; a manifest that is overwritten in
  /// place does not. So each scan asks for the status of one manifest in this many, in turn.
  private static let manifestShare = 8

  /// If there are fewer directories than this, listing them is as fast as getting their stamps.
  static let fewest = 32

  /// Makes an empty memory.
  package init() {}

  /// Returns the listings of peers, using remembered ones for directories that have not changed.
  ///
  /// - Parameters:
  ///   - peers: the peers that have a directory; all others are forgotten.
  ///   - scan: lists one peer.
  func listings(
    of peers: [PeerIdentity], in directory: ContentDirectory, using fileSystem: any FileSystem,
    _ scan: (PeerIdentity) -> PeerListing
  ) -> [PeerListing] {
    guard peers.count >= Self.fewest else { return peers.map(scan) }
    // A directory that does not answer may block one scan forever, but not the next one.
    let before = state.withLock { state in
      state.scanCount += 1
      if state.directory != directory || state.scanCount > Self.scansBetween {
        state = State(directory: directory, listedCount: state.listedCount)
      }
      return state.peers
    }
    let paths = peers.map { before[$0]?.paths ?? Paths(of: $0, in: directory) }
    // If the stamps cannot be read, the listings say why.
    let stamps =
      (try? fileSystem.stamps([directory.peers] + paths.flatMap { [$0.directory, $0.log] })) ?? []
    var known: [PeerIdentity: Known] = [:]
    known.reserveCapacity(peers.count)
    var listings: [PeerListing] = []
    listings.reserveCapacity(peers.count)
    var listedCount = 0
    for (index, peer) in peers.enumerated() {
      let place = 1 + 2 * index
      let present = stamps.isEmpty ? [] : stamps[place...place + 1].compactMap { $0 }
      if present.count == 2, let last = before[peer], last.stamps == present {
        known[peer] = last
        listings.append(last.listing)
        continue
      }
      let listing = scan(peer)
      listedCount += 1
      if present.count == 2, listing.failure == nil, !listing.hasVanished {
        known[peer] = Known(stamps: present, listing: listing, paths: paths[index])
      }
      listings.append(listing)
    }
    state.withLock { state in
      state.peers = known
      state.listedCount += listedCount
    }
    return listings
  }

  /// How many peers this memory could not say anything about when it was asked.
  package var listedCount: Int { state.withLock { $0.listedCount } }

  /// Remembers the listings that an earlier session has made.
  package func take(_ notes: PeerNotes, in directory: ContentDirectory) {
    let known = notes.entries.compactMap { peer, entry in
      entry.listed.map {
        (peer, Known(stamps: $0.stamps, listing: $0.listing, paths: Paths(of: peer, in: directory)))
      }
    }
    state.withLock { state in
      state = State(directory: directory)
      state.peers = Dictionary(known, uniquingKeysWith: { first, _ in first })
    }
  }

  /// Adds what is remembered of each peer that has an entry.
  package func note(in notes: inout PeerNotes) {
    let known = state.withLock { $0.peers }
    for peer in notes.entries.keys {
      notes.entries[peer]?.listed = known[peer].map {
        PeerNotes.Listed(stamps: $0.stamps, listing: $0.listing)
      }
    }
  }

  /// Returns the status of each peer's manifest, usually a remembered one if the manifest has not been
  /// replaced.
  ///
  /// - Parameter listing: the listing that this memory has just made.
  package func manifests(
    of listing: ContentListing, in directory: ContentDirectory, using fileSystem: any FileSystem
  ) throws(FileError) -> [FileStatus?] {
    let (known, turn) = state.withLock { ($0.peers, $0.scanCount) }
    var statuses: [FileStatus?] = []
    statuses.reserveCapacity(listing.peers.count)
    var asked: [Int] = []
    for (index, peer) in listing.peers.enumerated() {
      let remembered = known[peer.peer]?.manifest
      statuses.append(remembered ?? nil)
      if remembered == nil || (index + turn).isMultiple(of: Self.manifestShare) {
        asked.append(index)
      }
    }
    let found = try fileSystem.statuses(
      asked.map { index in
        let peer = listing.peers[index].peer
        return known[peer]?.paths.manifest ?? directory.manifest(of: peer)
      })
    for (index, status) in zip(asked, found) { statuses[index] = status }
    state.withLock { state in
      for (index, status) in zip(asked, found) {
        state.peers[listing.peers[index].peer]?.manifest = .some(status)
      }
    }
    return statuses
  }
}
