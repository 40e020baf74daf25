/// How a conflict is settled.
public enum Resolution: String, Hashable, Sendable, CaseIterable {
  /// Writes again what is visible; a held row is deleted.
  case keep
  /// Writes the losing values: a deleted row comes back as its writer had it, with the rows that it
  /// refers to; a missing parent comes back; the row that has the unique key is deleted.
  case restore
}
