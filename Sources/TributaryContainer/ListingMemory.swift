internal import Synchronization
import TributaryCore
import TributaryFiles

/// The listings of peers' directories that one session has made and need not repeat as long as the stamps are
/// the same. Most peers of a large container write nothing for a long time.
package final class ListingMemory: Sendable {
  private struct State {
    var directory: ContentDirectory?
    /// What is known of peers, in ascending order of peer.
    var peers: [Known] = []
    /// The paths whose stamps the last scan has read, and the peers they belong to.
    var paths: (peers: [PeerIdentity], all: [String]) = ([], [])
    var scanCount = 0
    /// How many peers have been listed.
    var listedCount = 0
    /// Whether a manifest was written over in its place.
    var hasUntraced = false
    /// The share of the manifests that the first scan asks about.
    var share = 0
  }

  fileprivate struct Known {
    /// What was seen; the stamps were taken before.
    var listed: PeerNotes.Listed
    /// The status of its `peer.json`, taken after the stamps; `nil` if it was not requested.
    var manifest: FileStatus??

    var peer: PeerIdentity { listed.listing.peer }
  }

  private let fewest: Int
  private let state = Mutex(State())

  /// For this many scans, directories that seem unchanged are not listed; then all are. A clock that was set
  /// back may repeat a stamp.
  static let scansBetween = 60

  /// A manifest that is replaced gives the peer's directory another stamp; a manifest that is overwritten in
  /// place does not. So each scan asks for the status of one manifest in this many, in turn.
  package static let shareCount = 8

  /// If there are fewer directories than this, listing them is as fast as getting their stamps.
  package static let fewest = 32

  /// Makes an empty memory.
  ///
  /// - Parameter fewest: the fewest peers whose listings are remembered.
  package init(fewest: Int = ListingMemory.fewest) { self.fewest = fewest }

  /// Returns the listings of peers, using remembered ones for directories that have not changed.
  ///
  /// - Parameters:
  ///   - peers: the peers that have a directory, in ascending order; all others are forgotten.
  ///   - seen: the stamps as in `PeerStamps`, if they were read a moment ago.
  ///   - scan: lists one peer.
  func listings(
    of peers: [PeerIdentity], in directory: ContentDirectory, _ seen: [DirectoryStamp?]? = nil,
    using fileSystem: any FileSystem, _ scan: (PeerIdentity) -> PeerListing
  ) -> [PeerListing] {
    guard peers.count >= fewest else {
      // What is remembered from a time with more peers has not been compared with anything.
      state.withLock { $0.peers = [] }
      return peers.map(scan)
    }
    // A directory that does not answer may block one scan forever, but not the next one.
    var (before, paths) = state.withLock { state in
      state.scanCount += 1
      if state.directory != directory || state.scanCount > Self.scansBetween {
        state = State(directory: directory, listedCount: state.listedCount)
      }
      return (state.peers, state.paths)
    }
    if seen == nil, paths.peers != peers {
      paths = (peers, directory.stamped(peers))
    }
    // If the stamps cannot be read, each peer is listed, and its listing says why.
    let stamps = seen ?? (try? fileSystem.stamps(paths.all)) ?? []
    var known: [Known] = []
    known.reserveCapacity(peers.count)
    var listings: [PeerListing] = []
    listings.reserveCapacity(peers.count)
    var (listedCount, next) = (0, 0)
    for (index, peer) in peers.enumerated() {
      let (own, log) = stamps.isEmpty ? (nil, nil) : (stamps[1 + 2 * index], stamps[2 + 2 * index])
      if let place = before.place(of: peer, from: &next), let own, let log,
        before[place].listed.directory == own, before[place].listed.log == log
      {
        known.append(before[place])
        listings.append(before[place].listed.listing)
        continue
      }
      let listing = scan(peer)
      listedCount += 1
      if let own, let log, listing.failure == nil, !listing.hasVanished {
        known.append(Known(listed: .init(directory: own, log: log, listing: listing)))
      }
      listings.append(listing)
    }
    state.withLock { state in
      (state.peers, state.paths) = (known, paths)
      state.listedCount += listedCount
    }
    return listings
  }

  /// How many peers this memory could not say anything about when it was asked.
  package var listedCount: Int { state.withLock { $0.listedCount } }

  /// Whether a manifest was found to have changed although its directory seems unchanged. What an earlier session
  /// has noted about it is then out of date, and nothing but its status shows this.
  package var hasUntraced: Bool { state.withLock { $0.hasUntraced } }

  /// Remembers what an earlier session has seen.
  ///
  /// - Parameter share: the share of the manifests whose status the next scan asks for, from 0 to `shareCount` - 1.
  ///   If it were always the same, no session would ask about the others.
  package func take(_ notes: PeerNotes, in directory: ContentDirectory, share: Int) {
    let known = notes.entries.compactMap { entry in
      entry.listed.map { Known(listed: $0, manifest: entry.read.map { .some($0.status) }) }
    }
    state.withLock { state in
      state = State(directory: directory, peers: known, share: share)
    }
  }

  /// Adds what is remembered of each peer that has an entry.
  package func note(in notes: inout PeerNotes) {
    let known = state.withLock { $0.peers }
    var next = 0
    for index in notes.entries.indices {
      let place = known.place(of: notes.entries[index].peer, from: &next)
      notes.entries[index].listed = place.map { known[$0].listed }
    }
  }

  /// Returns the status of each peer's manifest, or why it is unknown; usually a remembered status if the
  /// manifest has not been replaced.
  ///
  /// - Parameter listing: the listing that this memory has just made.
  package func manifests(
    of listing: ContentListing, in directory: ContentDirectory, using fileSystem: any FileSystem
  ) -> [Result<FileStatus?, FileError>] {
    let (known, share) = state.withLock { state in
      (state.peers, (state.share + state.scanCount - 1) % Self.shareCount)
    }
    var asked: [(peer: PeerIdentity, status: FileStatus?)] = []
    var next = 0
    let statuses = listing.peers.enumerated().map { index, peer in
      if let place = known.place(of: peer.peer, from: &next), let status = known[place].manifest,
        index % Self.shareCount != share
      {
        return Result<FileStatus?, FileError>.success(status)
      }
      let found = Result { () throws(FileError) in
        try fileSystem.status(directory.manifest(of: peer.peer))
      }
      if case .success(let status) = found { asked.append((peer.peer, status)) }
      return found
    }
    // Another thread may have made a scan since.
    state.withLock { state in
      var next = 0
      for (peer, status) in asked {
        guard let place = state.peers.place(of: peer, from: &next) else { continue }
        if let known = state.peers[place].manifest, known != status { state.hasUntraced = true }
        state.peers[place].manifest = .some(status)
      }
    }
    return statuses
  }
}

extension [ListingMemory.Known] {
  /// Returns the place of a peer in ascending order; `nil` if it is not there.
  ///
  /// - Parameter start: where the search begins and ends. Searches for peers in ascending order take O(*n*) for
  ///   all of them.
  fileprivate func place(of peer: PeerIdentity, from start: inout Int) -> Int? {
    while start < count, self[start].peer < peer { start += 1 }
    return start < count && self[start].peer == peer ? start : nil
  }
}
