import TributaryCore
import TributaryFiles

/// The places in a container that belong to one content name.
package struct ContentDirectory: Hashable, Sendable {
  /// The path of the container.
  package let container: String
  /// The application's directory in the container.
  package let root: ContentRoot
  /// The database's directory in the application's directory.
  package let name: ContentName
  /// The directory of the content name.
  package let path: String
  /// The directory that contains one directory per peer.
  package let peers: String

  /// Makes the paths without touching a file.
  package init(container: String, root: ContentRoot = .standard, name: ContentName) {
    self.container = container
    self.root = root
    self.name = name
    path = container.appending(component: root.text).appending(component: name.text)
    peers = path.appending(component: "peers")
  }

  /// Returns the directory that only this peer writes into.
  package func peer(_ peer: PeerIdentity) -> String {
    peers.appending(component: peer.description)
  }

  /// Returns the file that describes a peer.
  package func manifest(of peer: PeerIdentity) -> String {
    self.peer(peer).appending(component: PeerManifest.fileName)
  }

  /// Returns the directory of a peer's segments.
  package func log(of peer: PeerIdentity) -> String {
    self.peer(peer).appending(component: "log")
  }

  /// Returns the directory of a peer's baselines.
  package func baseline(of peer: PeerIdentity) -> String {
    self.peer(peer).appending(component: "baseline")
  }

  /// Returns the directories whose stamps show which peers have changed something: the directory of peers, then
  /// each peer's own directory and its log.
  func stamped(_ peers: [PeerIdentity]) -> [String] {
    [self.peers] + peers.flatMap { [peer($0), log(of: $0)] }
  }
}

extension ContentDirectory {
  /// Checks that no carrier can mistake the content root or the content name for another existing
  /// directory: one that differs in case, or in the Unicode form of its letters.
  ///
  /// - Throws: `ContainerError` with `nameCollision`, which names both; other codes if the
  ///   container cannot be listed. A directory that does not exist yet collides with nothing.
  package func checkCollision(using fileSystem: some FileSystem) throws(ContainerError) {
    var directory = container
    for component in root.components + [name.text] {
      let entries: [DirectoryEntry]
      do {
        entries = try fileSystem.list(directory)
      } catch {
        if error.isMissing { return }
        throw ContainerError(error)
      }
      for entry in entries where NameRule.collide(entry.name, component) {
        throw ContainerError(
          .nameCollision,
          "the name \(component.debugDescription) is too similar to \(entry.name.debugDescription), "
            + "which is there already: some devices keep both in one directory",
          path: directory.appending(component: entry.name),
          remedy: "use the name that is there, or one that differs in its letters")
      }
      directory = directory.appending(component: component)
    }
  }
}
