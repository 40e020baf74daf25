/// What a commit waits for, as in SQLite's `PRAGMA synchronous`.
public enum SynchronousMode: String, Sendable {
  /// A commit waits until it is in the write-ahead log. A power cut may undo the last commits, but never part
  /// of one, and never anything that another device may have seen: everything is synchronised before it is
  /// published.
  case normal = "NORMAL"
  /// A commit waits until it has reached the disk.
  case full = "FULL"
}
