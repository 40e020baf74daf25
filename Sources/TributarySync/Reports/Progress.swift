/// How far long work has come.
public struct Progress: Sendable {
  /// What is being done, as a word or two.
  public var stage: String
  public var done: Int
  /// `nil` when the end is not known.
  public var total: Int?

  public init(stage: String, done: Int, total: Int? = nil) {
    self.stage = stage
    self.done = done
    self.total = total
  }
}
