public import TributaryCore

/// The declaration that the author of a segment obeyed, and above whose horizon the knowledge in the segment is.
public struct SegmentHorizon: Hashable, Sendable {
  /// The identifier of the declaration.
  public var declaration: UInt64
  /// The latest time in the horizon: all transactions of the segment are later.
  public var latestTime: HybridTime

  public init(declaration: UInt64, latestTime: HybridTime) {
    self.declaration = declaration
    self.latestTime = latestTime
  }

  /// The flag of a segment that has one.
  static let flag: UInt32 = 1
}
