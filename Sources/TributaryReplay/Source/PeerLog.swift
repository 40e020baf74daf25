package import TributaryCore
package import TributaryFiles

/// The segments of one peer in one directory, by their names alone.
package struct PeerLog {
  /// The peer's directory; `nil` for segments outside one.
  package var directory: String?
  /// The peer, according to the name of the directory.
  package var peer: PeerIdentity?
  /// The peer's name, as shown to people; `nil` if unknown.
  package var name: String?
  /// The paths, in ascending order of their first sequence numbers, as far as the names show them.
  package var paths: [String]
  /// Whether the directory may contain more segments than these, which were named one by one.
  package var isPartial = false

  /// Why the directory cannot be read; nothing about it is known then.
  package var failure: FileError?

  /// Makes a log from its parts.
  package init(directory: String?, peer: PeerIdentity?, name: String?, paths: [String]) {
    self.directory = directory
    self.peer = peer
    self.name = name
    self.paths = paths
  }
}
