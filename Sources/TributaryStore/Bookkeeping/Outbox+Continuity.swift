import TributaryCore

extension Outbox {
  /// Checks that the outbox still has everything that was published. Otherwise, the next transaction would
  /// get a number that all other peers already know as another transaction.
  func checkContinuity(endingWith sequence: SequenceNumber) throws {
    let statement = try connection.cached(
      "SELECT last FROM tributary_segment ORDER BY first DESC LIMIT 1")
    defer { statement.reset() }
    guard try statement.step(), statement.integer(0) > Int64(clamping: sequence.rawValue) else {
      return
    }
    throw StoreError.damaged(
      "\(statement.integer(0)) transactions were published, and the outbox ends with \(sequence)",
      path: connection.path)
  }
}
