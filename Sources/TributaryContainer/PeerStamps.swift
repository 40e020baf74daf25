import TributaryCore
import TributaryFiles

/// What is in the directory of peers, and the stamps of the directories of many peers, as seen at one moment.
package struct PeerStamps: Sendable {
  /// What is no peer's directory.
  let others: [DirectoryEntry]
  /// The peers that have a directory, in ascending order.
  package let peers: [PeerIdentity]
  /// The stamps of the directory of peers, and of each peer's own directory and its log, in the order of
  /// `peers`. `nil` stands for a directory that is missing or may have changed without giving it another stamp.
  package let stamps: [DirectoryStamp?]

  /// Looks at the directories.
  ///
  /// - Parameter fewest: the fewest peers for which stamps are wanted.
  /// - Returns: `nil` if there are fewer.
  package init?(
    of directory: ContentDirectory, fewest: Int, using fileSystem: any FileSystem
  ) throws(FileError) {
    (peers, others) = try fileSystem.list(directory.peers).divided()
    guard peers.count >= fewest else { return nil }
    stamps = try fileSystem.stamps(directory.stamped(peers))
  }
}

extension [DirectoryEntry] {
  /// Returns the peers that have a directory, in ascending order, and all other entries.
  func divided() -> (peers: [PeerIdentity], others: [DirectoryEntry]) {
    var peers: [PeerIdentity] = []
    var others: [DirectoryEntry] = []
    for entry in self {
      if entry.isPlausibleDirectory, let peer = PeerIdentity(hex: entry.name) {
        peers.append(peer)
      } else {
        others.append(entry)
      }
    }
    return (peers.sorted(), others)
  }
}

extension DirectoryEntry {
  /// Whether this is a directory, as far as is known.
  var isPlausibleDirectory: Bool { kind == .directory || kind == .unknown }
}
