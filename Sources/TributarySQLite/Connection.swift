import CSQLite
import TributaryCore

/// One connection to one database file, with its prepared statements.
///
/// Not thread-safe: its owner must not use it from two threads at once.
package final class Connection {
  package enum Mode: Sendable {
    /// Opens a file, creating it if it is missing.
    case create
    /// Opens an existing file.
    case readWrite
    case readOnly
  }

  package let path: String
  package let handle: OpaquePointer
  let busyMilliseconds: Int32
  /// How long connections wait for the locks of others by default.
  package static let defaultBusyMilliseconds: Int32 = 5000

  /// The number of statements that have failed so far. A failed statement may have been undone in
  /// part.
  package private(set) var failures = 0

  /// Determines what statements do; present if the connection was opened to classify them.
  package let classifier: StatementClassifier?

  /// What other modules have found out and keep.
  package var cache = ConnectionCache()

  /// The paths of the loaded SQLite extensions.
  package internal(set) var extensions: [String] = []

  /// An object that takes part in transactions.
  package var observer: (any TransactionObserver)?

  /// Whether it keeps other connections out; see `keepLogIndexInMemory`.
  package internal(set) var keepsOthersOut = false

  /// The index of the log, once it is known; see `logHead`.
  var knownLogIndex: UnsafeRawPointer?

  /// The row feeds by their numbers of columns.
  var feeds: [Int: RowFeed] = [:]

  /// The statements of this library.
  private var ownStatements = StatementCache()
  /// The statements of the application, which were prepared with its permissions.
  private var lendable = StatementCache()
  private var isClosed = false

  /// Opens a database.
  ///
  /// - Parameter busyMilliseconds: the longest time to wait for another connection's lock.
  /// - Parameter classifies: whether statements carry their kind, which makes preparing them
  ///   slower.
  /// - Parameter extensions: the SQLite extensions to load; `nil` means those of `setExtensions`.
  /// - Throws: if the file cannot be opened. If it is not a database, only the first statement
  ///   fails.
  package init(
    path: String, mode: Mode, busyMilliseconds: Int32 = Connection.defaultBusyMilliseconds,
    classifies: Bool = false,
    extensions: [String]? = nil
  ) throws(SQLiteError) {
    let access =
      switch mode {
      case .create: SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
      case .readWrite: SQLITE_OPEN_READWRITE
      case .readOnly: SQLITE_OPEN_READONLY
      }
    if mode != .readOnly { Self.mendSideFiles(of: path) }
    var opened: OpaquePointer?
    let unchanging = Self.unchangingName(of: path)
    let code = sqlite3_open_v2(
      unchanging ?? path, &opened,
      access | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE
        | (unchanging == nil ? 0 : SQLITE_OPEN_URI), nil)
    guard code == SQLITE_OK, let opened else {
      let message = opened.map { String(cString: sqlite3_errmsg($0)) } ?? "out of memory"
      var error = SQLiteError(code: code, message: message, path: path)
      error.systemCode = opened.map { sqlite3_system_errno($0) } ?? 0
      sqlite3_close_v2(opened)
      throw error
    }
    handle = opened
    self.path = path
    self.busyMilliseconds = busyMilliseconds
    classifier = classifies ? StatementClassifier() : nil
    if let classifier { install(classifier) }
    sqlite3_busy_timeout(handle, busyMilliseconds)
    try addIdentifiers()
    try load(extensions ?? Self.companions(ofDatabase: path))
  }

  deinit { close() }

  /// Closes the connection before its last reference is released. Neither it nor its statements may
  /// be used afterwards.
  package func close() {
    guard !isClosed else { return }
    isClosed = true
    ownStatements.finalizeAll()
    lendable.finalizeAll()
    sqlite3_close_v2(handle)
  }

  /// Runs a script and ignores its rows.
  package func execute(_ script: String) throws(SQLiteError) {
    try checkOpen()
    let code = sqlite3_exec(handle, script, nil, nil, nil)
    if code != SQLITE_OK {
      failures += 1
      throw error(code, sql: script)
    }
  }

  /// Returns the prepared statement for `sql`, which is kept for reuse.
  ///
  /// - Complexity: O(length of `sql`) if the statement is in the cache.
  package func cached(_ sql: String) throws(SQLiteError) -> Statement {
    if let statement = ownStatements.statement(sql) {
      // A statement in the middle of its rows is in use further up the stack.
      if !statement.isBusy { return statement }
      return try prepare(sql)
    }
    let statement = try prepare(sql, persistent: true)
    ownStatements.keep(statement, for: sql)
    return statement
  }

  /// Lends a prepared statement for exclusive use until `giveBack`: two simultaneous users of the same text
  /// get two statements. No parameter is bound.
  ///
  /// - Complexity: O(length of `sql`) if the statement is in the cache and not lent.
  package func lend(_ sql: String) throws(SQLiteError) -> Statement {
    // Only preparing a statement shows what it reads.
    if classifier?.reads != nil { return try prepare(sql) }
    if let statement = lendable.statement(sql) {
      guard !statement.isLent else { return try prepare(sql) }
      statement.isLent = true
      return statement
    }
    let statement = try prepare(sql, persistent: true)
    statement.isLent = true
    lendable.keep(statement, for: sql)
    return statement
  }

  /// Takes a lent statement back and clears its parameters.
  package func giveBack(_ statement: Statement) {
    statement.reset()
    statement.clearBindings()
    statement.isLent = false
  }

  /// Prepares the one statement of `sql`.
  ///
  /// - Throws: an error, also if `sql` contains no statement or more than one.
  package func prepare(_ sql: String, persistent: Bool = false) throws(SQLiteError) -> Statement {
    var rest = Self.script(sql)
    guard let statement = try prepareFirst(of: &rest, persistent: persistent) else {
      throw SQLiteError(code: SQLITE_MISUSE, message: "no statement", sql: sql, path: path)
    }
    guard try prepareFirst(of: &rest) == nil else {
      throw SQLiteError(
        code: SQLITE_MISUSE, message: "more than one statement", sql: sql, path: path)
    }
    return statement
  }

  /// Returns a script in the form that `prepareFirst` takes, with a NUL at its end. Without the NUL, SQLite
  /// would copy the whole rest for each statement.
  package static func script(_ sql: String) -> ArraySlice<UInt8> {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(sql.utf8.count + 1)
    bytes += sql.utf8
    bytes.append(0)
    return bytes[...]
  }

  /// Prepares the first statement of a script and removes it from the front.
  ///
  /// - Returns: `nil` if only white space and comments were left.
  package func prepareFirst(
    of script: inout ArraySlice<UInt8>, persistent: Bool = false
  ) throws(SQLiteError) -> Statement? {
    try checkOpen()
    while !script.isEmpty {
      var prepared: OpaquePointer?
      var consumed = 0
      classifier?.reset()
      let code = script.withUnsafeBufferPointer { bytes -> Int32 in
        bytes.withMemoryRebound(to: CChar.self) { text in
          var tail: UnsafePointer<CChar>?
          let code = sqlite3_prepare_v3(
            handle, text.baseAddress, Int32(clamping: text.count),
            persistent ? UInt32(SQLITE_PREPARE_PERSISTENT) : 0, &prepared, &tail)
          if let tail, let start = text.baseAddress { consumed = tail - start }
          return code
        }
      }
      guard code == SQLITE_OK else {
        failures += 1
        let failure = preparationError(
          code, sql: String(decoding: script.prefix { $0 != 0 }, as: UTF8.self))
        if passesOverAbsentParent(failure) { continue }
        throw failure
      }
      // SQLite stops reading at a NUL.
      let head = script.prefix(max(consumed, prepared == nil ? script.count : 1))
      script = script.dropFirst(head.count)
      if let prepared {
        return Statement(
          handle: prepared, sql: String(decoding: head, as: UTF8.self), connection: self)
      }
    }
    return nil
  }

  private func preparationError(_ code: Int32, sql: String) -> SQLiteError {
    var failure = error(code, sql: sql)
    if let refusal = classifier?.refusal { failure.message = refusal }
    return failure
  }

  private func checkOpen() throws(SQLiteError) {
    guard !isClosed else {
      throw SQLiteError(code: SQLITE_MISUSE, message: "the connection is closed", path: path)
    }
  }

  func statementFailed() { failures += 1 }

  /// The rowid of the last inserted row, not counting insertions by triggers; 0 before the first.
  package var lastInsertedRowIdentifier: Int64 { sqlite3_last_insert_rowid(handle) }

  /// The number of rows changed by the last statement, without those changed by triggers and
  /// foreign keys.
  package var changes: Int { Int(sqlite3_changes64(handle)) }

  /// The number of rows changed since the connection was opened, including those changed by
  /// triggers and foreign keys.
  package var totalChanges: Int64 { sqlite3_total_changes64(handle) }

  /// Returns the number of pages written so far, after writing those that the open transaction has changed.
  ///
  /// A statement that fails may have changed pages and changed them back. SQLite then counts no changed rows,
  /// but still commits the pages.
  package func countWrittenPages() -> Int32 {
    sqlite3_db_cacheflush(handle)
    return writtenPages
  }

  /// The number of pages written so far.
  package var writtenPages: Int32 {
    var (count, highest): (Int32, Int32) = (0, 0)
    sqlite3_db_status(handle, SQLITE_DBSTATUS_CACHE_WRITE, &count, &highest, 0)
    return count
  }

  /// Whether a transaction is open.
  package var isInTransaction: Bool { sqlite3_get_autocommit(handle) == 0 }

  /// Whether a transaction that holds the write lock is open.
  package var isWriting: Bool { sqlite3_txn_state(handle, "main") == SQLITE_TXN_WRITE }

  /// Returns the first column of the first row as an integer; `nil` if there is no row or the
  /// column is NULL.
  package func integer(_ sql: String, _ parameters: Value...) throws(SQLiteError) -> Int64? {
    let statement = try cached(sql)
    defer { statement.reset() }
    try statement.bind(parameters)
    return try statement.step() && !statement.isNull(0) ? statement.integer(0) : nil
  }
}
