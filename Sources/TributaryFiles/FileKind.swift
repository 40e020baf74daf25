/// What a path names.
public enum FileKind: Hashable, Sendable {
  case file
  case directory
  case symbolicLink
  /// A device, a pipe or a socket.
  case other
  /// The file system did not say while listing; the status does.
  case unknown
}
