internal import Glibc

/// What can happen to a watched directory or file: asked for when watching, told in each event.
public struct WatchKind: OptionSet, Hashable, Sendable {
  /// The bits of *inotify(7)*.
  public let rawValue: UInt32

  /// Makes a set of the bits of *inotify(7)*.
  public init(rawValue: UInt32) { self.rawValue = rawValue }

  private init(_ bits: Int32) { rawValue = UInt32(bitPattern: bits) }

  /// A name was made in the directory; its contents may still be to come.
  public static let created = WatchKind(IN_CREATE)
  /// A name came into the directory whole, or changed within it.
  public static let renamedInto = WatchKind(IN_MOVED_TO)
  /// A name left the directory, or changed within it.
  public static let renamedAway = WatchKind(IN_MOVED_FROM)
  /// Contents were written.
  public static let modified = WatchKind(IN_MODIFY)
  /// A file that was open for writing was closed: what is written in place is complete, perhaps.
  public static let written = WatchKind(IN_CLOSE_WRITE)
  /// A name was removed from the directory.
  public static let removed = WatchKind(IN_DELETE)
  /// The watched thing itself was removed or renamed: its path leads elsewhere now. Always told.
  public static let lost: WatchKind = [WatchKind(IN_DELETE_SELF), WatchKind(IN_MOVE_SELF)]
  /// The watch is over: removed or unmounted. Always told; the token is dead.
  public static let ended: WatchKind = [WatchKind(IN_IGNORED), WatchKind(IN_UNMOUNT)]

  /// Everything after which a directory may hold a file worth reading.
  public static let arrivals: WatchKind = [.created, .renamedInto, .written]
}
