import TributarySQLite

/// Progress and cancellation of work on a database that may take long.
package struct LongWork {
  /// Ends the work; `nil` if nobody can.
  package var cancellation: Cancellation?
  /// Called with a stage, how much of it is done, and how much there is, if that is known. Throws to end the work.
  package var tell: ((_ stage: String, _ done: Int, _ total: Int?) throws -> Void)?

  /// Makes it; by default, it reports nothing, and nothing ends it.
  package init(
    cancellation: Cancellation? = nil,
    tell: ((_ stage: String, _ done: Int, _ total: Int?) throws -> Void)? = nil
  ) {
    self.cancellation = cancellation
    self.tell = tell
  }

  /// Reports how far a stage has come.
  ///
  /// - Throws: `CancellationError` if the work was cancelled; what `tell` throws.
  func note(_ stage: String, _ done: Int, of total: Int?) throws {
    try cancellation?.check()
    try tell?(stage, done, total)
  }
}
