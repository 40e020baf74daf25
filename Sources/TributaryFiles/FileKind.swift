/// The kind of file that a path names.
package enum FileKind: Hashable, Sendable {
  case file
  case directory
  case symbolicLink
  /// A device, a pipe or a socket.
  case other
  /// The file system's listing did not say; the file's status does.
  case unknown
}
