/// How a table of a random schema says by what its rows are known.
enum KeyDeclaration: CaseIterable, Sendable {
  case primary
  /// By a UNIQUE key in the place of a primary key.
  case unique
  /// Not at all: by themselves.
  case none
}
