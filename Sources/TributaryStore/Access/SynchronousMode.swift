/// What a commit waits for, as in SQLite's `PRAGMA synchronous`.
public enum SynchronousMode: String, Sendable {
  /// A commit is in the write-ahead log. A power cut may undo the last commits, but never a part of one, and
  /// nothing that another device may have seen: everything is synchronised before it is published.
  case normal = "NORMAL"
  /// A commit has reached the disk.
  case full = "FULL"
}
