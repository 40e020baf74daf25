package import TributaryCore

/// The segments of one peer in one directory, by their names alone.
package struct PeerLog {
  /// The directory of the peer; `nil` for segments that are in none.
  package var directory: String?
  /// Whose it is, by the name of the directory.
  package var peer: PeerIdentity?
  /// What people call it; `nil` when nobody knows.
  package var name: String?
  /// Paths, in ascending order of first sequence where the names tell it.
  package var paths: [String]

  /// Names the parts.
  package init(directory: String?, peer: PeerIdentity?, name: String?, paths: [String]) {
    self.directory = directory
    self.peer = peer
    self.name = name
    self.paths = paths
  }
}
