/// What a commit waits for, as SQLite's `PRAGMA synchronous` has it.
public enum SynchronousMode: String, Sendable {
  /// A commit is in the write-ahead log. A power cut may take back the last commits, never a part of one,
  /// and nothing that another device may have seen: what is published has been synchronised before.
  case normal = "NORMAL"
  /// A commit has reached the disk.
  case full = "FULL"
}
