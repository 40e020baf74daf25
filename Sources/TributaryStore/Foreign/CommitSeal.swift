import TributarySQLite

/// A seal on the file of a store whose write-ahead log is removed. It says that the last commit in the file
/// is the store's own, by the nanoseconds of the file's modification time. They follow from the places of the
/// store's commits, and any later write sets another time.
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

  /// Returns the nanoseconds of a sealed file's time.
  package func nanoseconds() throws -> Int { try ForeignCapture(connection).state().seal }

  /// Seals the file if that is correct: it contains everything that was committed, and all of it is
  /// known.
  ///
  /// It does not wait for the lock: the process that holds it writes, or will seal the file later.
  package func set() throws {
    do {
      try trySet()
    } catch let error as SQLiteError where error.isBusy {
      // A file without a seal is compared.
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

  /// Whether everything that was committed is an own commit, or needs no record. Entries in journals need one:
  /// without the log, nothing would show what follows them.
  private func isKnown(_ state: ForeignCapture.State, _ head: LogHead) throws -> Bool {
    let capture = ForeignCapture(connection)
    return try !capture.isBroken(state, head) && !(state.isUsed && capture.hasEntries())
  }

  /// Empties the log as far as that is possible at once, and keeps the seal.
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
      // Nobody has committed meanwhile.
      guard let head = try connection.logHead(), head.isEmpty,
        head.transactions == before.transactions
      else { return }
      _ = connection.setWritten(nanoseconds: try capture.state().seal)
    }
  }

  /// Draws a place that is in no log, for a store whose commits have not recorded one yet.
  package func draw() throws {
    try Settings(connection).set(
      .place, .integer(Int64(bitPattern: SQLiteRandomness.next() << 32)))
  }

  /// Seals a file that nobody else uses and that has no log.
  package func setAlone() throws {
    guard try Settings.exist(in: connection) else { return }
    _ = connection.setWritten(nanoseconds: try nanoseconds())
  }
}
