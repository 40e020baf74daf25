package import TributaryCore
package import TributaryFiles

/// The segments of one peer in one directory, by their names alone.
package struct PeerLog {
  /// The peer's directory; `nil` for segments outside one.
  package var directory: String?
  /// The peer, by the name of the directory.
  package var peer: PeerIdentity?
  /// The peer's name for people; `nil` if unknown.
  package var name: String?
  /// The paths, in ascending order of first sequence as far as the names show it.
  package var paths: [String]
  /// Whether there may be more segments in the directory than these, which were named one by one.
  package var isPartial = false

  /// Why the directory cannot be read; then nothing of it is known.
  package var failure: FileError?

  /// Makes a log from its parts.
  package init(directory: String?, peer: PeerIdentity?, name: String?, paths: [String]) {
    self.directory = directory
    self.peer = peer
    self.name = name
    self.paths = paths
  }
}
