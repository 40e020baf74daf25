/// A notice that a store exceeds its space limit. Nothing is refused or removed because of it.
public struct SpaceNotice: Equatable, Sendable, CustomStringConvertible {
  /// The limit, in bytes.
  public let limit: UInt64
  /// What the store's own segments, own baselines and outbox take, in bytes.
  public let used: UInt64

  /// Creates a notice.
  ///
  /// - Returns: `nil` if the limit is not exceeded.
  package init?(limit: UInt64, used: UInt64) {
    guard used > limit else { return nil }
    self.limit = limit
    self.used = used
  }

  public var description: String { "\(explanation); \(Self.remedy)" }

  var explanation: String {
    "this store's log and records take \(used) bytes, more than the limit of \(limit) (--space-limit)"
  }

  static let remedy =
    "nothing is refused or removed for that; `tributary peers list` shows who holds back what could go, and "
    + "`tributary attach` with --space-limit changes the limit"
}
