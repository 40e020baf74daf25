/// What a rebuild replayed.
public struct RebuildReport: Equatable, Sendable {
  public var transactions: Int
}
