import TributarySQLite

/// A seal on the file of a store whose write-ahead log has been removed. It states, by the nanoseconds of the
/// file's modification time, that the last commit in the file is the store's own. The nanoseconds follow from
/// the places of the store's commits, and any later write sets another time.
package struct CommitSeal {
  let connection: Connection

  package init(_ connection: Connection) { self.connection = connection }

  /// File systems may count in units of 100 ns.
  private static let unit: UInt64 = 100

  static func nanoseconds(for places: [LogPlace]) -> Int {
    // FNV-1a, over numbers instead of bytes.
    var hash: UInt64 = 0xcbf2_9ce4_8422_2325
    for place in places {
      hash = (hash ^ UInt64(bitPattern: place.rawValue)) &* 0x100_0000_01b3
      hash ^= hash >> 32
    }
    return Int(hash % (1_000_000_000 / unit) * unit)
  }

  /// Returns the nanoseconds in the modification time of a sealed file.
  package func nanoseconds() throws -> Int { try ForeignCapture(connection).state().seal }

  /// Seals the file if that would be true: it contains everything that was committed, and all of it is known.
  ///
  /// This does not wait for the lock: the process that holds it is writing, or will seal the file later.
  package func set() throws {
    do {
      try trySet()
    } catch let error as SQLiteError where error.isBusy {
      // A file without a seal is compared with the logs.
    }
  }

  private func trySet() throws {
    let capture = ForeignCapture(connection)
    guard try Settings.exist(in: connection) else { return }
    let state = try capture.state()
    guard let head = try connection.logHead(), !head.isEmpty,
      !head.isCopied || connection.writtenNanoseconds != state.seal
    else { return }
    if try !isKnown(state, head) {
      // Without the log, a later commit could hide this one.
      guard state.isUsed, !state.isDoubted, try capture.isBroken(state, head) else { return }
      return try connection.withoutWaiting {
        try connection.immediate {
          let state = try capture.state()
          guard let head = try connection.logHead() else { return }
          let commits = try capture.commits(state, head)
          guard commits.kind == .unknown else { return }
          try Settings(connection).set(
            .doubted, .integer(ForeignCommits.doubt(isShown: commits.isShown)))
        }
      }
    }
    try connection.copyLog()
    try connection.withoutWaiting {
      try connection.execute("BEGIN IMMEDIATE")
      defer { connection.rollBack() }
      let state = try capture.state()
      guard let head = try connection.logHead(), head.isCopied, try isKnown(state, head) else {
        return
      }
      _ = connection.setWritten(nanoseconds: state.seal)
    }
  }

  /// Whether everything that was committed is the store's own commit, or needs no record. Journal entries
  /// need one: without the log, nothing would show what follows them.
  private func isKnown(_ state: ForeignCapture.State, _ head: LogHead) throws -> Bool {
    let capture = ForeignCapture(connection)
    return try !capture.isBroken(state, head) && !(state.isUsed && capture.hasEntries())
  }

  /// Empties the log as far as that is possible immediately, and keeps the seal.
  package func shortenLog() throws {
    let capture = ForeignCapture(connection)
    let before: LogHead? = try connection.immediate {
      let state = try capture.state()
      guard let head = try connection.logHead() else { return nil }
      return try isKnown(state, head) ? head : nil
    }
    try connection.shortenLog()
    guard let before else { return }
    try connection.immediate {
      // This holds if there was no commit in the meantime.
      guard let head = try connection.logHead(), head.isEmpty,
        head.transactions == before.transactions
      else { return }
      _ = connection.setWritten(nanoseconds: try capture.state().seal)
    }
  }

  /// Draws a random place that is in no log, for a store whose commits have not recorded a place yet.
  package func draw() throws {
    try Settings(connection).set(
      .place, .integer(Int64(bitPattern: SQLiteRandomness.next() << 32)))
  }

  /// Seals a file that no other process uses and that has no log.
  package func setAlone() throws {
    guard try Settings.exist(in: connection) else { return }
    _ = connection.setWritten(nanoseconds: try nanoseconds())
  }
}
