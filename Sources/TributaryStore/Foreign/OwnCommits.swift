import TributarySQLite

/// Distinguishes the commits of this library's connection from those of other programs, in a store where
/// nothing else captures what these write.
///
/// Each own commit records the place in the write-ahead log where it begins. The next reader can then tell
/// whether it is still the last commit: exactly one transaction lies between that place and the end of the
/// log. A commit that finds a foreign one before itself records nothing, so that the foreign one stays
/// visible until the tables are compared with the logs.
final class OwnCommits: TransactionObserver {
  /// What the bookkeeping says about the capture, as far as others have written it.
  private(set) var state: ForeignCapture.State?
  /// Whether another program had committed something that was not captured when the open
  /// transaction began.
  private(set) var isBroken = false
  /// The version of the file as this connection left it.
  private var seenVersion: UInt32?
  private var head: LogHead?
  private var changes: Int64 = 0
  /// The pages that the connection had written when the open transaction began.
  private var pages: Int32 = 0
  /// Whether places must be recorded.
  private var isNeeded = false
  private var isNoted = false

  func didBegin(_ connection: Connection) throws {
    isNoted = false
    changes = connection.totalChanges
    let isSame = connection.dataVersion == seenVersion
    if isSame, !isNeeded { return }
    pages = connection.writtenPages
    head = try connection.logHead()
    if isSame { return }
    let capture = ForeignCapture(connection)
    let state = try capture.state()
    self.state = state
    isNeeded = !state.isUsed && head != nil
    isBroken = capture.isBroken(state, head)
  }

  /// Returns where the open transaction begins, which then records it itself; `nil` if that is of
  /// no use.
  func takePlace(_ connection: Connection) -> LogPlace? {
    guard isNeeded, !isBroken, let head else { return nil }
    guard let place = connection.place(ofTransactionAt: head) else {
      isBroken = true
      return nil
    }
    isNoted = true
    return place
  }

  func willCommit(_ connection: Connection) throws {
    guard !isNoted, leavesMark(connection), let place = takePlace(connection) else { return }
    try Settings(connection).set(.place, .integer(place.rawValue))
  }

  /// Whether the open transaction will leave a mark in the log.
  private func leavesMark(_ connection: Connection) -> Bool {
    if connection.totalChanges != changes { return true }
    return isNeeded && !isBroken && connection.countWrittenPages() != pages
  }

  func didCommit(_ connection: Connection) { seenVersion = connection.dataVersion }

  /// Discards what this connection knows, which may be out of date.
  func forget() { seenVersion = nil }

  /// Records that everything committed before the open transaction is known after all.
  func vouch(_ connection: Connection) throws {
    head = try connection.logHead()
    isNeeded = head != nil
    isBroken = false
  }
}
