internal import Glibc

/// What can happen to a watched directory or file. Kinds are requested when watching, and reported
/// in each event.
package struct WatchKind: OptionSet, Hashable, Sendable {
  /// The bits of *inotify(7)*.
  package let rawValue: UInt32

  /// Makes a set from the bits of *inotify(7)*.
  package init(rawValue: UInt32) { self.rawValue = rawValue }

  private init(_ bits: Int32) { rawValue = UInt32(bitPattern: bits) }

  /// A name was created in the directory; its contents may still follow.
  package static let created = WatchKind(IN_CREATE)
  /// A name was moved into the directory, or changed within it.
  package static let renamedInto = WatchKind(IN_MOVED_TO)
  /// A name was moved out of the directory, or changed within it.
  package static let renamedAway = WatchKind(IN_MOVED_FROM)
  /// Contents were written.
  package static let modified = WatchKind(IN_MODIFY)
  /// A file that was open for writing was closed. A file written in place may now be complete.
  package static let written = WatchKind(IN_CLOSE_WRITE)
  /// A name was removed from the directory.
  package static let removed = WatchKind(IN_DELETE)
  /// The watched directory or file itself was removed or renamed, so that its path leads elsewhere.
  /// Always reported.
  package static let lost: WatchKind = [WatchKind(IN_DELETE_SELF), WatchKind(IN_MOVE_SELF)]
  /// The watch has ended because its target was removed or unmounted. Always reported; the token is
  /// dead.
  package static let ended: WatchKind = [WatchKind(IN_IGNORED), WatchKind(IN_UNMOUNT)]

  /// All events after which a directory may hold a file worth reading.
  package static let arrivals: WatchKind = [.created, .renamedInto, .written]
}
