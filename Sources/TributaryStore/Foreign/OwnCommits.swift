import TributarySQLite

/// Tells the commits of a connection of ours from those of other programs, in a store where nothing else
/// captures what they write.
///
/// Each own commit notes the place in the write-ahead log at which it begins. Whoever looks next knows by that
/// whether it is still the last one: then exactly one transaction lies between that place and the end of the log. A
/// commit that finds another one before itself notes nothing, so that it shows until the tables are compared
/// with the logs.
final class OwnCommits: TransactionObserver {
  /// What the bookkeeping says of the capture, as far as others have written it.
  private(set) var state: ForeignCapture.State?
  /// Whether another program had committed, when the open transaction began, what nothing captured.
  private(set) var isBroken = false
  /// The file as this connection left it.
  private var seenVersion: UInt32?
  private var head: LogHead?
  private var changes: Int64 = 0
  /// Whether places are noted.
  private var isNeeded = false
  private var isNoted = false

  func didBegin(_ connection: Connection) throws {
    isNoted = false
    changes = connection.totalChanges
    let isSame = connection.dataVersion == seenVersion
    if isSame, !isNeeded { return }
    head = try connection.logHead()
    if isSame { return }
    let capture = ForeignCapture(connection)
    let state = try capture.state()
    self.state = state
    isNeeded = !state.isUsed && head != nil
    isBroken = capture.isBroken(state, head)
  }

  /// Where the open transaction begins, which then notes it itself; `nil` where that is of no use.
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
    guard !isNoted, connection.totalChanges != changes, let place = takePlace(connection) else {
      return
    }
    try Settings(connection).set(.place, .integer(place.rawValue))
  }

  func didCommit(_ connection: Connection) { seenVersion = connection.dataVersion }

  /// What this connection knows may be out of date.
  func forget() { seenVersion = nil }

  /// All that was committed before the open transaction is known after all.
  func vouch(_ connection: Connection) throws {
    head = try connection.logHead()
    isNeeded = head != nil
    isBroken = false
  }
}
