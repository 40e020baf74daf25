import TributaryCore
import TributaryFiles

/// Lists the contents of a content directory without reading files or asking for their status.
package struct ContainerScanner: Sendable {
  /// The directory to list.
  package let directory: ContentDirectory
  private let fileSystem: any FileSystem
  private let memory: ListingMemory?

  /// Makes a scanner without touching a file.
  package init(_ directory: ContentDirectory, using fileSystem: any FileSystem) {
    self.init(directory, using: fileSystem, memory: nil)
  }

  /// Makes a scanner without touching a file.
  ///
  /// - Parameter memory: what was listed before.
  package init(
    _ directory: ContentDirectory, using fileSystem: any FileSystem, memory: ListingMemory?
  ) {
    self.directory = directory
    self.fileSystem = fileSystem
    self.memory = memory
  }

  /// Lists all peers. A failure for one peer is recorded in its listing and does not hide the
  /// others.
  ///
  /// - Parameter seen: what was seen there a moment ago.
  /// - Complexity: one or two listings per peer; with a memory, two checks for each peer that has not
  ///   changed, unless these were made a moment ago.
  /// - Throws: `ContainerError`: `absent` if there is no directory of peers.
  package func scan(_ seen: PeerStamps? = nil) throws(ContainerError) -> ContentListing {
    let (peers, others): ([PeerIdentity], [DirectoryEntry])
    do {
      if let seen {
        (peers, others) = (seen.peers, seen.others)
      } else {
        (peers, others) = try fileSystem.list(directory.peers).divided()
      }
    } catch {
      throw error.isMissing ? .absent(directory.peers, error) : ContainerError(error)
    }
    var listing = ContentListing()
    listing.ignored = others.map { entry in
      PeerIdentity(hex: entry.name) == nil
        ? ignored(entry) : IgnoredFile(path: entry.name, reason: .wrongKind)
    }
    listing.peers =
      memory?.listings(of: peers, in: directory, seen?.stamps, using: fileSystem, scanListed)
      ?? peers.map(scanListed)
    listing.ignored.sort { $0.path < $1.path }
    return listing
  }

  /// Lists one peer.
  ///
  /// A peer without a directory, or without a log in it, has no segments; that is not a failure.
  package func scan(_ peer: PeerIdentity) -> PeerListing {
    var listing = scanListed(peer)
    listing.hasVanished = false
    return listing
  }

  /// Lists one peer whose directory was listed a moment ago.
  private func scanListed(_ peer: PeerIdentity) -> PeerListing {
    var listing = PeerListing(peer: peer)
    do throws(FileError) {
      var hasLog = false
      for entry in try list(directory.peer(peer), &listing) {
        switch entry.name {
        case PeerManifest.fileName where entry.isPlausibleFile: listing.hasManifest = true
        case "log" where entry.isPlausibleDirectory: hasLog = true
        case "baseline" where entry.isPlausibleDirectory: listing.hasBaselines = true
        case PeerManifest.fileName, "log", "baseline":
          listing.ignored.append(IgnoredFile(path: entry.name, reason: .wrongKind))
        default: listing.ignored.append(ignored(entry))
        }
      }
      if hasLog { try scanLog(of: peer, into: &listing) }
    } catch {
      listing.failure = error
    }
    listing.misnamed.sort()
    listing.ignored.sort { $0.path < $1.path }
    return listing
  }

  private func scanLog(
    of peer: PeerIdentity, into listing: inout PeerListing
  ) throws(FileError) {
    let log = directory.log(of: peer)
    var names: [SegmentName] = []
    for entry in try list(log, &listing) {
      if !entry.isPlausibleFile {
        listing.ignored.append(IgnoredFile(path: "log/" + entry.name, reason: .wrongKind))
      } else if let name = SegmentName(entry.name) {
        names.append(name)
      } else if entry.isExact, entry.name.lowercased().hasSuffix(SegmentName.suffix),
        !entry.name.hasPrefix(".")
      {
        listing.misnamed.append(entry.name)
      } else {
        listing.ignored.append(ignored(entry, in: "log/"))
      }
    }
    listing.segments = names.sorted().map { SegmentFile(name: $0, directory: log) }
  }

  private func list(
    _ path: String, _ listing: inout PeerListing
  ) throws(FileError) -> [DirectoryEntry] {
    do {
      return try fileSystem.list(path)
    } catch {
      guard error.isMissing else { throw error }
      listing.hasVanished = true
      return []
    }
  }

  private func ignored(_ entry: DirectoryEntry, in prefix: String = "") -> IgnoredFile {
    IgnoredFile(path: prefix + entry.name, reason: CarrierName.reason(for: entry.name))
  }
}

extension DirectoryEntry {
  fileprivate var isPlausibleFile: Bool { kind == .file || kind == .unknown }
}
