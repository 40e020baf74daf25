import TributaryContainer
import TributaryCore
import TributaryFiles

/// Examines many files in one operation, within its time limit: handing over each file separately would cost
/// more than the examination itself.
extension StoreEnvironment {
  /// Lists all peers, as `ContainerScanner.scan` does.
  ///
  /// - Parameters:
  ///   - memory: what was listed before.
  ///   - seen: what was seen a moment ago.
  func scan(
    _ directory: ContentDirectory, _ memory: ListingMemory? = nil, _ seen: PeerStamps? = nil
  ) throws(ContainerError) -> ContentListing {
    let scanner = ContainerScanner(directory, using: localFiles, memory: memory)
    guard let executor else { return try scanner.scan(seen) }
    let result: Result<ContentListing, ContainerError>
    do {
      result = try executor.run("readdir", on: directory.peers) {
        Result { () throws(ContainerError) in try scanner.scan(seen) }
      }
    } catch {
      throw ContainerError(error)
    }
    return try result.get()
  }

  /// Lists all peers, and returns the status of some paths and of each peer's manifest.
  ///
  /// - Parameter memory: what was listed before.
  func look(
    _ directory: ContentDirectory, _ paths: [String], _ memory: ListingMemory
  ) throws(ContainerError) -> (ContentListing, [FileStatus?], manifests: [FileStatus?]) {
    let base = localFiles
    guard let executor else { return try Self.look(directory, paths, memory, base) }
    let result: Result<(ContentListing, [FileStatus?], manifests: [FileStatus?]), ContainerError>
    do {
      result = try executor.run("readdir", on: directory.peers) {
        Result { () throws(ContainerError) in try Self.look(directory, paths, memory, base) }
      }
    } catch {
      throw ContainerError(error)
    }
    return try result.get()
  }

  private static func look(
    _ directory: ContentDirectory, _ paths: [String], _ memory: ListingMemory,
    _ base: any FileSystem
  ) throws(ContainerError) -> (ContentListing, [FileStatus?], manifests: [FileStatus?]) {
    let listing = try ContainerScanner(directory, using: base, memory: memory).scan()
    if let failure = listing.peers.lazy.compactMap(\.failure).first {
      throw ContainerError(failure)
    }
    do {
      let statuses = try base.statuses(paths)
      var manifests: [FileStatus?] = []
      for status in memory.manifests(of: listing, in: directory, using: base) {
        manifests.append(try status.get())
      }
      return (listing, statuses, manifests)
    } catch {
      throw ContainerError(error)
    }
  }

  /// Lists one peer.
  func scan(_ peer: PeerIdentity, in directory: ContentDirectory) throws(ContainerError)
    -> PeerListing
  {
    guard let executor else { return ContainerScanner(directory, using: fileSystem).scan(peer) }
    let scanner = ContainerScanner(directory, using: localFiles)
    do {
      return try executor.run("readdir", on: directory.peer(peer)) {
        scanner.scan(peer)
      }
    } catch {
      throw ContainerError(error)
    }
  }

  /// Restores the directories of a peer, as `SegmentStore.restoreDirectories` does.
  func restoreDirectories(
    of peer: PeerIdentity, in directory: ContentDirectory
  ) throws(ContainerError) {
    let segments = SegmentStore(directory, peer: peer, using: localFiles)
    guard let executor else { return try segments.restoreDirectories() }
    let result: Result<Void, ContainerError>
    do {
      result = try executor.run("mkdir", on: segments.path) {
        Result { () throws(ContainerError) in try segments.restoreDirectories() }
      }
    } catch {
      throw ContainerError(error)
    }
    try result.get()
  }

  /// Returns the status of each path; `nil` where the path does not exist.
  func statuses(_ paths: [String]) throws(ContainerError) -> [FileStatus?] {
    guard let first = paths.first else { return [] }
    let base = localFiles
    do {
      guard let executor else { return try base.statuses(paths) }
      return try executor.run("stat", on: first) { () throws(FileError) in
        try base.statuses(paths)
      }
    } catch {
      throw ContainerError(error)
    }
  }

  /// Looks at the directories of all peers.
  ///
  /// - Parameter fewest: the fewest peers for which stamps are wanted.
  /// - Returns: `nil` if there are fewer.
  func stamps(
    of directory: ContentDirectory, fewest: Int
  ) throws(ContainerError) -> PeerStamps? {
    let base = localFiles
    @Sendable func look() throws(FileError) -> PeerStamps? {
      try PeerStamps(of: directory, fewest: fewest, using: base)
    }
    do {
      guard let executor else { return try look() }
      return try executor.run("stat", on: directory.peers) { () throws(FileError) in try look() }
    } catch {
      throw ContainerError(error)
    }
  }

  /// Returns whether a directory is on a file system that records each change. Such a file system is this
  /// machine's own, so the identity of a file there is lasting.
  func recordsChanges(in directory: String) -> Bool {
    let base = localFiles
    @Sendable func look() throws(FileError) -> Bool { try base.stamps([directory]) != [nil] }
    // If it cannot be examined, a session does without notes. The step that needs it reports why.
    guard let executor else { return (try? look()) ?? false }
    // The same holds for a directory that does not answer in time.
    return
      (try? executor.run("stat", on: directory) { () throws(FileError) in try look() }) ?? false
  }

  /// Returns the names in each directory; none for a directory that is missing or cannot be listed now.
  ///
  /// - Parameter memory: what was listed before.
  /// - Throws: if the container does not answer.
  func names(in directories: [String], _ memory: DirectoryNames) throws(ContainerError)
    -> [[String]]
  {
    guard let first = directories.first else { return [] }
    let base = localFiles
    do {
      guard let executor else { return memory.names(in: directories, using: base) }
      return try executor.run("readdir", on: first) { memory.names(in: directories, using: base) }
    } catch {
      throw ContainerError(error)
    }
  }

  /// Returns the status of each path, or why it is unknown.
  func looks(_ paths: [String]) -> [Result<FileStatus?, ContainerError>] {
    guard let first = paths.first else { return [] }
    let base = localFiles
    return looks(paths.count, of: first) {
      paths.map { path in Result { () throws(FileError) in try base.status(path) } }
    }
  }

  /// Returns the status of the manifest of each peer in a listing, or why it is unknown.
  ///
  /// - Parameter memory: what has just made the listing.
  func looks(
    _ listing: ContentListing, in directory: ContentDirectory, _ memory: ListingMemory
  ) -> [Result<FileStatus?, ContainerError>] {
    guard let first = listing.peers.first else { return [] }
    let base = localFiles
    return looks(listing.peers.count, of: directory.manifest(of: first.peer)) {
      memory.manifests(of: listing, in: directory, using: base)
    }
  }

  private func looks(
    _ count: Int, of path: String,
    _ look: @escaping @Sendable () -> [Result<FileStatus?, FileError>]
  ) -> [Result<FileStatus?, ContainerError>] {
    guard let executor else { return look().map { $0.mapError(ContainerError.init) } }
    do {
      return try executor.run("stat", on: path) { look() }.map { $0.mapError(ContainerError.init) }
    } catch {
      return Array(repeating: .failure(ContainerError(error)), count: count)
    }
  }
}
