package import TributaryContainer
package import TributaryCore
package import TributaryFiles

/// Finds logs below any path that a user names: a container, a content directory, a peer's directory, or a
/// segment.
package struct LogSearch {
  private let fileSystem: any FileSystem
  private let horizons = KnownHorizons()

  /// Makes a search; this accesses no file.
  package init(using fileSystem: any FileSystem = LocalFileSystem()) {
    self.fileSystem = fileSystem
  }

  /// Content directories are searched for to this depth below a path.
  private static let depthLimit = 6

  /// Finds the logs at these paths.
  ///
  /// - Parameter isNaming: whether to find out the names of peers, for which their manifests must be read.
  /// - Throws: `FileError` for a path that cannot be listed, `ContainerError` for one that does not exist.
  package func logs(at paths: [String], isNaming: Bool = true) throws -> [PeerLog] {
    var logs = try find(paths)
    if isNaming {
      for index in logs.indices { logs[index].name = name(of: logs[index]) }
    }
    return logs
  }

  private func find(_ paths: [String]) throws -> [PeerLog] {
    var logs: [PeerLog] = []
    for path in paths {
      guard let status = try fileSystem.status(path) else {
        throw ContainerError(
          .missingFile, "no such file or directory: \(path)", path: path, remedy: "check the path")
      }
      if status.kind != .directory {
        try checkSegment(path)
        append(segment: path, to: &logs)
      } else if let owner = try owner(ofLogDirectory: path) {
        logs.append(try log(of: owner.peer, in: owner.directory))
      } else {
        try search(path, depth: 0, into: &logs)
      }
    }
    return logs
  }

  /// Returns the peer if the path is a peer's directory, or the `log` directory in it.
  private func owner(
    ofLogDirectory path: String
  ) throws(FileError) -> (peer: PeerIdentity, directory: String)? {
    guard let resolved = try fileSystem.resolve(path) else { return nil }
    if let peer = try self.peer(resolved) { return (peer, path) }
    let parent = resolved.parentDirectory
    guard resolved.lastPathComponent == "log",
      let peer = PeerIdentity(hex: parent.lastPathComponent)
    else { return nil }
    return (peer, parent)
  }

  private func search(_ path: String, depth: Int, into logs: inout [PeerLog]) throws {
    // Links are not followed: they may lead anywhere, even back here.
    let names = try fileSystem.list(path).filter { $0.isExact && isDirectory($0, in: path) }
      .map(\.name).sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    for name in names {
      let inner = path.appending(component: name)
      if let log = try peerLog(inner) {
        logs.append(log)
      } else if depth < Self.depthLimit {
        try search(inner, depth: depth + 1, into: &logs)
      }
    }
  }

  /// Returns the log in a peer's directory; `nil` if it is not one. A log that this process may not read does
  /// not stop the search.
  private func peerLog(_ directory: String) throws(FileError) -> PeerLog? {
    do {
      guard let peer = try peer(directory) else { return nil }
      return try log(of: peer, in: directory)
    } catch {
      guard error.isDenied, let peer = PeerIdentity(hex: directory.lastPathComponent) else {
        throw error
      }
      var log = PeerLog(directory: directory, peer: peer, name: nil, paths: [])
      log.failure = error
      return log
    }
  }

  /// Returns the owner of a directory; `nil` if it is not a peer's directory, since a content name may look
  /// like a peer.
  private func peer(_ directory: String) throws(FileError) -> PeerIdentity? {
    guard let peer = PeerIdentity(hex: directory.lastPathComponent),
      try fileSystem.status(directory.appending(component: "peers")) == nil
    else { return nil }
    return peer
  }

  private func isDirectory(_ entry: DirectoryEntry, in path: String) -> Bool {
    guard entry.kind == .unknown else { return entry.kind == .directory }
    // An entry that vanishes in the meantime does not count.
    return (try? fileSystem.status(path.appending(component: entry.name))?.kind) == .directory
  }

  private func log(of peer: PeerIdentity, in directory: String) throws(FileError) -> PeerLog {
    let log = directory.appending(component: "log")
    var names: [SegmentName] = []
    do {
      names = try fileSystem.list(log).filter { $0.kind == .file || $0.kind == .unknown }
        .compactMap { SegmentName($0.name) }
    } catch {
      // The peer has not published anything yet.
      guard error.isMissing else { throw error }
    }
    return PeerLog(
      directory: directory, peer: peer, name: nil,
      paths: names.sorted().map { log.appending(component: $0.description) })
  }

  /// Refuses a file that is a baseline according to its place.
  private func checkSegment(_ path: String) throws(ContainerError) {
    // If the path cannot be resolved, reading the file reports the reason.
    let resolved = (try? fileSystem.resolve(path)) ?? path
    guard resolved.parentDirectory.lastPathComponent == "baseline",
      BaselineName(resolved.lastPathComponent) != nil
    else { return }
    throw ContainerError(
      .foreign, "\(path) is a baseline, which has rows and no transactions", path: path,
      remedy:
        "name the peer's directory or the container: `tributary log verify` reads the baselines "
        + "in it to their ends, and `tributary log show` says where history begins")
  }

  /// Adds a single file to the log of the same directory, or as a new log.
  private func append(segment path: String, to logs: inout [PeerLog]) {
    // If the path cannot be resolved, reading the file will report the reason.
    let resolved = (try? fileSystem.resolve(path)) ?? path
    let log = resolved.parentDirectory
    let directory = log.parentDirectory
    let peer =
      log.lastPathComponent == "log" ? PeerIdentity(hex: directory.lastPathComponent) : nil
    if let last = logs.indices.last, logs[last].peer == peer,
      logs[last].directory == (peer == nil ? nil : directory)
    {
      logs[last].paths.append(path)
    } else {
      var log = PeerLog(
        directory: peer == nil ? nil : directory, peer: peer, name: nil, paths: [path])
      log.isPartial = true
      logs.append(log)
    }
  }

  /// Returns a peer's name, as shown to people, from its manifest; `nil` without one.
  package func name(of log: PeerLog) -> String? {
    guard let name = manifest(of: log)?.name, !name.isEmpty else { return nil }
    return name
  }

  /// Returns a peer's manifest.
  ///
  /// - Returns: `nil` without a manifest that is readable and in its place; here, a manifest is only an
  ///   extra.
  package func manifest(of log: PeerLog) -> PeerManifest? {
    guard let peer = log.peer, let directory = log.directory else { return nil }
    // `log verify` and `doctor` report a faulty manifest; here, it only adds to what is shown.
    return try? manifest(of: peer, in: directory)
  }

  /// Reads a peer's manifest.
  ///
  /// - Parameter directory: the peer's directory.
  /// - Returns: `nil` if there is no `peer.json`, and for a directory that is not in a container.
  /// - Throws: `FileError`, and what `PeerManifest.read` throws.
  package func manifest(of peer: PeerIdentity, in directory: String) throws -> PeerManifest? {
    guard let resolved = try fileSystem.resolve(directory) else { return nil }
    let content = resolved.parentDirectory.parentDirectory
    let root = content.parentDirectory
    // No content directory has such a name, so the path leads elsewhere.
    guard let contentName = try? ContentName(content.lastPathComponent),
      let contentRoot = try? ContentRoot(root.lastPathComponent)
    else { return nil }
    return try PeerManifest.read(
      of: peer,
      in: ContentDirectory(container: root.parentDirectory, root: contentRoot, name: contentName),
      using: fileSystem, horizons: horizons)
  }
}
