/// The progress of a long operation.
package struct Progress: Sendable {
  /// The present stage, as a word or two.
  package var stage: String
  package var done: Int
  /// The total; `nil` if it is not known.
  package var total: Int?

  package init(stage: String, done: Int, total: Int? = nil) {
    self.stage = stage
    self.done = done
    self.total = total
  }
}
