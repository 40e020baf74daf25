/// An entry in a peer's directory that is not part of the format.
package struct IgnoredFile: Hashable, Sendable {
  /// The reason why the file is there, as far as its name shows.
  package enum Reason: String, Hashable, Sendable, CaseIterable {
    /// A file that is still being written or transported, or is left over from that.
    case temporary
    /// A second version that a carrier has kept under another name.
    case conflictCopy
    /// A placeholder for a file that the carrier has not brought yet.
    case placeholder
    /// A file removed while a program had it open; the network file system removes it later.
    case removedWhileOpen
    /// A directory, a link or a device in place of a file, or vice versa.
    case wrongKind
    /// A file that an operating system or a carrier keeps for itself.
    case system
    /// Any other file.
    case unknown
  }

  /// The path relative to the listed directory.
  package var path: String
  /// Why it is ignored.
  package var reason: Reason

  /// Makes an entry.
  package init(path: String, reason: Reason) {
    self.path = path
    self.reason = reason
  }
}
