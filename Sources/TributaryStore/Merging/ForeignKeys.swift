/// What happens to rows whose foreign key refers to a row that does not exist: the same on every device.
public enum ForeignKeys: String, Hashable, Sendable, CaseIterable {
  /// They are held, or show NULL or their default, and no local write can leave such a row.
  case enforce
  /// They stay as they are. References still follow rows whose numbers were given twice.
  case keep
}
