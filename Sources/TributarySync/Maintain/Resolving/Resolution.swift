/// The way to resolve a conflict.
public enum Resolution: String, Hashable, Sendable, CaseIterable {
  /// Writes again what is visible; a held row is deleted.
  case keep
  /// Writes the losing values: a deleted row comes back as its writer had it, with the rows to
  /// which it refers; a missing parent comes back; the row that has the unique key is deleted.
  case restore
}
