/// The way to resolve a conflict.
public enum Resolution: String, Hashable, Sendable, CaseIterable {
  /// Writes what is visible again. A held row is deleted.
  case keep
  /// Writes the losing values. A deleted row comes back as its writer had it, together with the rows to which
  /// it refers. A missing parent comes back. The row that has the unique key is deleted.
  case restore
}
