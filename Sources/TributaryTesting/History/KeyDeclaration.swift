/// How a table of a random schema declares what identifies its rows.
enum KeyDeclaration: CaseIterable, Sendable {
  case primary
  /// By a UNIQUE key in place of a primary key.
  case unique
  /// Not at all: rows identify themselves.
  case none
}
