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

  /// Returns the nanoseconds of a sealed file's time; `nil` if no seal is needed.
  package func nanoseconds() throws -> Int? {
    let state = try ForeignCapture(connection).state()
    return state.isUsed ? nil : state.seal
  }

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
    guard !state.isUsed, let head = try connection.logHead(), !head.isEmpty,
      !head.isCopied || connection.writtenNanoseconds != state.seal
    else { return }
    try connection.copyLog()
    try connection.withoutWaiting {
      try connection.execute("BEGIN IMMEDIATE")
      defer { connection.rollBack() }
      let state = try capture.state()
      guard let head = try connection.logHead(), head.isCopied, !capture.isBroken(state, head)
      else {
        return
      }
      _ = connection.setWritten(nanoseconds: state.seal)
    }
  }

  /// Empties the log as far as that is possible at once, and keeps the seal.
  package func shortenLog() throws {
    let capture = ForeignCapture(connection)
    let before: LogHead? = try connection.immediate {
      let state = try capture.state()
      let head = try connection.logHead()
      return state.isUsed || capture.isBroken(state, head) ? nil : head
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
    let state = try ForeignCapture(connection).state()
    if !state.isUsed { _ = connection.setWritten(nanoseconds: state.seal) }
  }
}
