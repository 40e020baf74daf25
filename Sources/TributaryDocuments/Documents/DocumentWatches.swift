internal import TributaryCore
internal import TributaryFiles

/// What is watched for one document.
struct DocumentWatches {
  /// The directories in which other peers publish.
  var peers: Set<WatchToken> = []
  /// The directory for the statement that the document was deleted, or the nearest directory above it that
  /// exists.
  var deletion: WatchToken?
  /// The name in that directory that matters; `nil` if all do.
  var deletionName: String?

  var all: Set<WatchToken> { deletion.map { peers.union([$0]) } ?? peers }

  /// Whether an event concerns the document.
  func concern(_ event: WatchEvent) -> Bool {
    // A temporary file precedes the file that takes its place.
    if let name = event.name, name.hasPrefix(".") { return false }
    if peers.contains(event.token) { return true }
    guard event.token == deletion else { return false }
    // Without a name, the directory itself is gone.
    return deletionName == nil || event.name == nil || event.name == deletionName
  }

  /// Watches what exists. What is missing, or exceeds the limits of the system, is polled.
  ///
  /// - Parameters:
  ///   - peersDirectory: the directory of the peers, among the logs.
  ///   - deletion: the container, and the names that lead from there to the statement that the document was
  ///     deleted; `nil` for a document in none.
  init(
    _ watcher: Watcher, peersDirectory: String, own: PeerIdentity,
    deletion: (container: String, names: [String])?
  ) {
    let files = LocalFileSystem()
    // Polling finds what cannot be watched or listed now.
    func watch(_ path: String) {
      if let token = try? watcher.watch(path, .arrivals) { peers.insert(token) }
    }
    watch(peersDirectory)
    for entry in (try? files.list(peersDirectory)) ?? [] {
      guard let peer = PeerIdentity(hex: entry.name), peer != own else { continue }
      let directory = peersDirectory.appending(component: entry.name)
      watch(directory.appending(component: "log"))
    }
    guard let (container, names) = deletion else { return }
    for depth in names.indices.reversed().map({ $0 + 1 }) + [0] {
      let path = names.prefix(depth).reduce(container) { $0.appending(component: $1) }
      guard let token = try? watcher.watch(path, .arrivals) else { continue }
      self.deletion = token
      deletionName = depth < names.count ? names[depth] : nil
      return
    }
  }

  init() {}
}

extension DocumentCentre.State {
  /// Removes a document from watches.
  ///
  /// - Returns: the watches that no document uses any more.
  mutating func disown(
    _ tokens: Set<WatchToken>, _ id: ObjectIdentifier
  ) -> Set<WatchToken> {
    tokens.filter { token in
      owners[token]?.remove(id)
      guard owners[token]?.isEmpty ?? true else { return false }
      owners[token] = nil
      return true
    }
  }
}
