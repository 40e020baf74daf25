/// Says that a store takes more room than it was told to: nothing is refused or removed for that.
public struct SpaceNotice: Equatable, Sendable, CustomStringConvertible {
  /// In bytes.
  public let limit: UInt64
  /// What its own segments, its own baselines and its outbox take, in bytes.
  public let used: UInt64

  /// Makes a notice.
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
