import TributarySQLite

/// What accompanies work on a database that may take long: who is told how far it has come, and who may end it.
package struct LongWork {
  /// Ends the work; `nil` if nobody can.
  package var cancellation: Cancellation?
  /// Is told of a stage, of how much of it is done, and of how much there is, if that is known.
  package var tell: ((_ stage: String, _ done: Int, _ total: Int?) throws -> Void)?

  /// Makes it; by default, nobody is told, and nobody can end it.
  package init(
    cancellation: Cancellation? = nil,
    tell: ((_ stage: String, _ done: Int, _ total: Int?) throws -> Void)? = nil
  ) {
    self.cancellation = cancellation
    self.tell = tell
  }

  /// Tells how far a stage has come.
  ///
  /// - Throws: `CancellationError` if the work is to end; what those who are told throw.
  func note(_ stage: String, _ done: Int, of total: Int?) throws {
    try cancellation?.check()
    try tell?(stage, done, total)
  }
}
