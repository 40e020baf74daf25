/// The kind of file that a path names.
package enum FileKind: Hashable, Sendable {
  case file
  case directory
  case symbolicLink
  /// A device, a pipe or a socket.
  case other
  /// The listing of the file system did not say; the file's status does.
  case unknown
}
