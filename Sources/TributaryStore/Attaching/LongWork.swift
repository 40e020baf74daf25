import TributarySQLite

/// Progress and cancellation of work on a database that may take long.
package struct LongWork {
  /// Ends the work; `nil` if it cannot be cancelled.
  package var cancellation: Cancellation?
  /// Called with a stage, how much of it is done, and the total, if that is known. It throws to end the work.
  package var tell: ((_ stage: String, _ done: Int, _ total: Int?) throws -> Void)?

  /// Makes it; by default, it reports nothing and cannot be cancelled.
  package init(
    cancellation: Cancellation? = nil,
    tell: ((_ stage: String, _ done: Int, _ total: Int?) throws -> Void)? = nil
  ) {
    self.cancellation = cancellation
    self.tell = tell
  }

  /// Reports the progress of a stage.
  ///
  /// - Throws: `CancellationError` if the work was cancelled; what `tell` throws.
  func note(_ stage: String, _ done: Int, of total: Int?) throws {
    try cancellation?.check()
    try tell?(stage, done, total)
  }
}
