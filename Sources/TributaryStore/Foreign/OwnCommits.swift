import TributarySQLite

/// Distinguishes the commits of this library's connection from those of other programs.
///
/// Each own commit records the place in the write-ahead log where it begins. The next reader can then tell
/// whether it is still the last commit: exactly one transaction lies between that place and the end of the
/// log. A commit that finds a foreign one before it records nothing, so that the foreign commit stays visible
/// until the tables are compared with the logs.
final class OwnCommits: TransactionObserver {
  /// What the bookkeeping says about the capture, as far as other connections have written it.
  private(set) var state: ForeignCapture.State?
  /// Whether another program had committed something that was not captured when the open
  /// transaction began.
  private(set) var isBroken = false
  /// Whether that is the case in a store with triggers, and may concern all tables.
  private var isUnknown = false
  /// Whether the log shows that it is the case.
  private var isShown = false
  /// The version of the file as this connection left it.
  private var seenVersion: UInt32?
  private var head: LogHead?
  private var changes: Int64 = 0
  /// The pages that the connection had written when the open transaction began.
  private var pages: Int32 = 0
  /// Whether places must be recorded.
  private var isNeeded = false
  private var isNoted = false
  /// In a store with triggers, the ways in the journals at the beginning of the open transaction, or at its
  /// end if it has emptied them; `nil` if they are unknown.
  private var ways: JournalWays?
  /// Whether the ways in the bookkeeping may be different.
  private var areWaysNew = true
  /// Whether the open transaction has changed what `state` was read from.
  private var isStateOld = false

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
    isNeeded = head != nil
    ways = nil
    isUnknown = false
    areWaysNew = true
    guard state.isUsed, let head else {
      isBroken = try capture.isBroken(state, head)
      return
    }
    let commits = try capture.commits(state, head)
    ways = commits.ways
    isUnknown = commits.kind == .unknown
    isShown = commits.isShown
    isBroken = try capture.isBroken(state, commits)
  }

  /// Whether the place of the open transaction is meaningful; in a store with triggers, it is so only
  /// together with the ways in the journals.
  private var isUseful: Bool { isNeeded && !isBroken && (state?.isUsed != true || ways != nil) }

  /// Returns the place where the open transaction begins, which the transaction then records itself; `nil` if
  /// that would be useless.
  func takePlace(_ connection: Connection) -> LogPlace? {
    guard isUseful, let head else { return nil }
    guard let place = connection.place(ofTransactionAt: head) else {
      isBroken = true
      return nil
    }
    isNoted = true
    return place
  }

  func willCommit(_ connection: Connection) throws {
    guard isNoted || leavesMark(connection) else { return }
    if !isNoted {
      guard let place = takePlace(connection) else { return try noteDoubt(connection) }
      try Settings(connection).set(.place, .integer(place.rawValue))
    }
    try noteWays(connection)
  }

  /// Whether the open transaction will leave a mark in the log.
  private func leavesMark(_ connection: Connection) -> Bool {
    if connection.totalChanges != changes { return true }
    return isUseful && connection.countWrittenPages() != pages
  }

  /// Records the doubt permanently, since the log that shows the reason may disappear.
  private func noteDoubt(_ connection: Connection) throws {
    guard isUnknown, let state, state.isUsed, !state.isDoubted else { return }
    try Settings(connection).set(.doubted, .integer(ForeignCommits.doubt(isShown: isShown)))
  }

  private func noteWays(_ connection: Connection) throws {
    guard areWaysNew, state?.isUsed == true else { return }
    let settings = Settings(connection)
    guard try settings.text(.ways) != ways?.text else { return }
    try settings.set(.ways, ways?.text.map { .string($0) })
  }

  func didCommit(_ connection: Connection) {
    // A doubt may concern a transaction that has left no mark in the log.
    seenVersion = isStateOld || isBroken ? nil : connection.dataVersion
    isStateOld = false
    areWaysNew = false
  }

  func didRollBack(_ connection: Connection) { forget() }

  /// Takes account of the fact that the open transaction has emptied all journals.
  func didEmptyJournals() {
    ways = JournalWays(roots: [])
    areWaysNew = true
  }

  /// Takes account of the fact that the open transaction changes what the bookkeeping says about the capture;
  /// that is reread afterwards.
  func didChangeCapture() { isStateOld = true }

  /// Discards what this connection knows, which may be out of date.
  func forget() { seenVersion = nil }

  /// Records that something committed before the open transaction is unknown.
  func doubt() { isBroken = true }

  /// Records that everything committed before the open transaction is known after all.
  func vouch(_ connection: Connection) throws {
    head = try connection.logHead()
    state = try ForeignCapture(connection).state()
    isNeeded = head != nil
    isBroken = false
    isUnknown = false
    ways = ways ?? JournalWays(roots: [])
    areWaysNew = true
  }
}
