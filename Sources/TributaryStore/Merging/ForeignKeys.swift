/// What becomes of rows that refer by a foreign key to a row that is not there: the same on every device.
public enum ForeignKeys: String, Hashable, Sendable, CaseIterable {
  /// They are held, or show NULL or their default, and no local write leaves one.
  case enforce
  /// They stay as they are. References still follow rows whose numbers were given twice.
  case keep
}
