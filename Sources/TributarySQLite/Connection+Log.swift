import CSQLite

/// Information about the write-ahead log. All of it comes through SQLite's own files: closing another
/// descriptor on the database or its index would release SQLite's locks.
///
/// Source: https://www.sqlite.org/walformat.html
extension Connection {
  /// Returns the current end of the log, whatever the open transaction sees; `nil` if the database has no log
  /// that connections share, or if nothing has been read yet.
  ///
  /// It stays the same for as long as the connection holds the write lock.
  package func logHead() throws(SQLiteError) -> LogHead? {
    guard let index = try logIndex() else { return nil }
    for _ in 0..<Self.mostAttempts {
      let header = LogIndexHeader(index)
      // In the middle of an update, only one of the two copies has been written.
      if header == LogIndexHeader(index + LogIndexHeader.byteCount) {
        return header.head(copied: index.load(fromByteOffset: 96, as: UInt32.self))
      }
    }
    return nil
  }

  private static let mostAttempts = 100

  /// Whether the log has frames that no commit has made visible yet: a writer may be waiting for the disk.
  /// Frames of an abandoned transaction look the same.
  public func hasUncommittedFrames() throws(SQLiteError) -> Bool {
    guard let head = try logHead(), let salts = readLog(16, UInt64.self),
      // The head has no page size before the first commit.
      let pageSize = readLog(8, UInt32.self).map(UInt32.init(bigEndian:))
    else { return false }
    // A log that starts over has other salts, and at first none of its frames is visible.
    let next = salts == head.salts ? Int64(head.frame) : 0
    return readLog(32 + next * (Int64(pageSize) + 24) + 8, UInt64.self) == salts
  }

  /// Whether exactly one transaction was committed between a place and the end of the log.
  ///
  /// - Complexity: O(size of that transaction)
  package func isOneTransaction(from place: LogPlace, to head: LogHead) -> Bool {
    guard place.isInLog(of: head.place), place.frame < head.frame else { return false }
    var last = head.frame - 1
    while last > place.frame, isRepeated(last - 1, head) { last -= 1 }
    for frame in place.frame..<last {
      // Only the last frame of a transaction contains the size of the database after it.
      guard let size = readLog(frameOffset(frame, head) + 4, UInt32.self), size == 0 else {
        return false
      }
    }
    return true
  }

  /// Whether the next frame repeats the same page. If a disk may lose data beside a write, SQLite fills the
  /// sector by repeating the last frame of a transaction.
  func isRepeated(_ frame: UInt32, _ head: LogHead) -> Bool {
    let (offset, next) = (frameOffset(frame, head), frameOffset(frame + 1, head))
    // The number of the page, and the size of the database, which is nonzero only in a last frame.
    guard let size = readLog(offset + 4, UInt32.self), size != 0,
      readLog(offset, UInt64.self) == readLog(next, UInt64.self),
      let page = readLog(offset + 24, count: Int(head.pageSize))
    else { return false }
    return page == readLog(next + 24, count: Int(head.pageSize))
  }

  /// Returns the place in the log where the open write transaction will end when it is committed.
  ///
  /// - Parameter head: the end of the log once the transaction had begun.
  /// - Returns: `nil` if the place cannot be determined.
  package func place(ofTransactionAt head: LogHead) -> LogPlace? {
    if !head.isCopied { return head.place }
    // SQLite may start the log over, which becomes visible with the first page of the transaction.
    sqlite3_db_cacheflush(handle)
    guard let salts = readLog(16, UInt64.self) else { return nil }
    let frame = salts == head.salts ? head.frame : 0
    guard readLog(frameOffset(frame, head) + 8, UInt64.self) == salts else { return nil }
    return LogPlace(salts: salts, frame: frame)
  }

  func frameOffset(_ frame: UInt32, _ head: LogHead) -> Int64 {
    32 + Int64(frame) * Int64(head.pageSize + 24)
  }

  func readLog<Number: FixedWidthInteger>(_ offset: Int64, _ type: Number.Type) -> Number? {
    var number: Number = 0
    let isRead = withUnsafeMutableBytes(of: &number) { readLog(offset, into: $0) }
    return isRead ? number : nil
  }

  private func readLog(_ offset: Int64, count: Int) -> [UInt8]? {
    var bytes = [UInt8](repeating: 0, count: count)
    let isRead = bytes.withUnsafeMutableBytes { readLog(offset, into: $0) }
    return isRead ? bytes : nil
  }

  private func readLog(_ offset: Int64, into bytes: UnsafeMutableRawBufferPointer) -> Bool {
    guard let file = file(SQLITE_FCNTL_JOURNAL_POINTER),
      let read = file.pointee.pMethods?.pointee.xRead
    else { return false }
    return read(file, bytes.baseAddress, Int32(bytes.count), offset) == SQLITE_OK
  }

  private func file(_ operation: Int32) -> UnsafeMutablePointer<sqlite3_file>? {
    var file: UnsafeMutablePointer<sqlite3_file>?
    guard sqlite3_file_control(handle, "main", operation, &file) == SQLITE_OK else { return nil }
    return file
  }

  /// Returns the index of the log, at an address that stays valid while the connection is open.
  private func logIndex() throws(SQLiteError) -> UnsafeRawPointer? {
    if let known = knownLogIndex { return known }
    // A connection in exclusive mode has the index in its own memory.
    guard try word("PRAGMA main.journal_mode") == "wal",
      try word("PRAGMA main.locking_mode") == "normal",
      let file = file(SQLITE_FCNTL_FILE_POINTER), let methods = file.pointee.pMethods,
      methods.pointee.iVersion >= 2, let map = methods.pointee.xShmMap
    else { return nil }
    var region: UnsafeMutableRawPointer?
    guard map(file, 0, 32768, 0, &region) == SQLITE_OK, let region else { return nil }
    knownLogIndex = UnsafeRawPointer(region)
    return knownLogIndex
  }

  private func word(_ sql: String) throws(SQLiteError) -> String {
    let statement = try prepare(sql)
    return try statement.step() ? statement.string(0) : ""
  }
}
