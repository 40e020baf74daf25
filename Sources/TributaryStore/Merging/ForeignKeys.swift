/// What happens to rows whose foreign key refers to a row that does not exist. It is the same on every
/// device.
public enum ForeignKeys: String, Hashable, Sendable, CaseIterable {
  /// Such rows are held, or show NULL or their default, and no local write can leave one.
  case enforce
  /// Such rows stay as they are. References still follow rows whose numbers were assigned twice.
  case keep
}
