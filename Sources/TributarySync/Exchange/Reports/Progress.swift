/// The progress of a long operation.
public struct Progress: Sendable {
  /// The present stage, as a word or two.
  public var stage: String
  public var done: Int
  /// The total; `nil` if it is not known.
  public var total: Int?

  public init(stage: String, done: Int, total: Int? = nil) {
    self.stage = stage
    self.done = done
    self.total = total
  }
}
