import TributaryCore

extension Outbox {
  /// Checks that what was published is here. Otherwise, the next transaction would get a number
  /// that already means another one to all other peers.
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
