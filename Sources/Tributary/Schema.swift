/// An application's schema: migrations in the order in which they were added. A migration never
/// changes afterwards.
public struct Schema: Equatable, Sendable, ExpressibleByArrayLiteral {
  public var migrations: [Migration]

  public init(_ migrations: [Migration]) { self.migrations = migrations }

  public init(arrayLiteral elements: Migration...) { migrations = elements }
}
