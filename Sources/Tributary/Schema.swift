/// An application's schema: its migrations, in the order in which they were added. A migration
/// never changes once added.
public struct Schema: Equatable, Sendable, ExpressibleByArrayLiteral {
  /// The migrations, the oldest first. Later versions of an application append theirs.
  public var migrations: [Migration]

  /// Makes a schema of migrations, the oldest first.
  public init(_ migrations: [Migration]) { self.migrations = migrations }

  public init(arrayLiteral elements: Migration...) { migrations = elements }
}
