import CSQLite
import TributaryCore

/// One connection to one database file, with its prepared statements.
///
/// Not for use from two threads at once: whoever owns it takes care of that.
public final class Connection {
  public enum Mode: Sendable {
    /// Opens a file, and makes it when it is missing.
    case create
    /// Opens a file that is there.
    case readWrite
    case readOnly
  }

  public let path: String
  public let handle: OpaquePointer
  let busyMilliseconds: Int32

  /// How many statements have failed so far: a failed statement may have been undone in part.
  public private(set) var failures = 0

  /// Tells what statements do; present when the connection was opened to classify them.
  public let classifier: StatementClassifier?

  /// What others keep for as long as the connection lasts, by their types.
  public var notes: [ObjectIdentifier: any Sendable] = [:]

  /// The SQLite extensions that are loaded, as paths.
  public internal(set) var extensions: [String] = []

  /// Takes part in transactions.
  public var observer: (any TransactionObserver)?

  /// See `logHead`.
  var knownLogIndex: UnsafeRawPointer?

  /// By their numbers of columns.
  var feeds: [Int: RowFeed] = [:]

  /// Our own statements.
  private var cache = StatementCache()
  /// Those of the application, which were prepared with its rights.
  private var lendable = StatementCache()
  private var isClosed = false

  /// Opens a database.
  ///
  /// - Parameter busyMilliseconds: how long to wait for another connection's lock.
  /// - Parameter classifies: whether statements carry their kind; it makes preparing them slower.
  /// - Parameter extensions: the SQLite extensions to be loaded; `nil` is those of `setExtensions`.
  /// - Throws: when the file cannot be opened. That it is no database shows at the first statement.
  public init(
    path: String, mode: Mode, busyMilliseconds: Int32 = 5000, classifies: Bool = false,
    extensions: [String]? = nil
  ) throws(SQLiteError) {
    let access =
      switch mode {
      case .create: SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
      case .readWrite: SQLITE_OPEN_READWRITE
      case .readOnly: SQLITE_OPEN_READONLY
      }
    var opened: OpaquePointer?
    let code = sqlite3_open_v2(
      path, &opened, access | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE, nil)
    guard code == SQLITE_OK, let opened else {
      let message = opened.map { String(cString: sqlite3_errmsg($0)) } ?? "out of memory"
      sqlite3_close_v2(opened)
      throw SQLiteError(code: code, message: message, path: path)
    }
    handle = opened
    self.path = path
    self.busyMilliseconds = busyMilliseconds
    classifier = classifies ? StatementClassifier() : nil
    if let classifier { install(classifier) }
    sqlite3_busy_timeout(handle, busyMilliseconds)
    try addIdentifiers()
    if let files = extensions ?? Self.extensions(ofDatabase: path) { try load(files) }
  }

  deinit { close() }

  /// Closes before the last reference goes; nothing may be done with it or its statements
  /// afterwards.
  public func close() {
    guard !isClosed else { return }
    isClosed = true
    cache.finalizeAll()
    lendable.finalizeAll()
    sqlite3_close_v2(handle)
  }

  /// Runs a script whose rows do not matter.
  public func execute(_ script: String) throws(SQLiteError) {
    try checkOpen()
    let code = sqlite3_exec(handle, script, nil, nil, nil)
    if code != SQLITE_OK {
      failures += 1
      throw error(code, sql: script)
    }
  }

  /// The prepared statement for `sql`, kept for the next time.
  ///
  /// - Complexity: O(length of `sql`) when it is already there.
  public func cached(_ sql: String) throws(SQLiteError) -> Statement {
    if let statement = cache.statement(sql) {
      // One in the middle of its rows is somebody else's, further up the stack.
      if !statement.isBusy { return statement }
      return try prepare(sql)
    }
    let statement = try prepare(sql, persistent: true)
    cache.keep(statement, for: sql)
    return statement
  }

  /// Lends a prepared statement to one who uses it alone, until `giveBack`: two who ask for the same
  /// text at a time get two statements. No parameter is bound.
  ///
  /// - Complexity: O(length of `sql`) when it is already there and nobody has it.
  public func lend(_ sql: String) throws(SQLiteError) -> Statement {
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

  /// Takes a lent statement back, without its parameters.
  public func giveBack(_ statement: Statement) {
    statement.reset()
    statement.clearBindings()
    statement.isLent = false
  }

  /// Prepares the one statement of `sql`.
  ///
  /// - Throws: also when there is no statement in it, or a second one after it.
  public func prepare(_ sql: String, persistent: Bool = false) throws(SQLiteError) -> Statement {
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

  /// A script as `prepareFirst` takes it: with a NUL at its end, without which SQLite copies all
  /// that is left of it for each statement.
  public static func script(_ sql: String) -> ArraySlice<UInt8> {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(sql.utf8.count + 1)
    bytes += sql.utf8
    bytes.append(0)
    return bytes[...]
  }

  /// Prepares the first statement of a script and takes it off the front.
  ///
  /// - Returns: `nil` when nothing but white space and comments was left.
  public func prepareFirst(
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
        throw preparationError(
          code, sql: String(decoding: script.prefix { $0 != 0 }, as: UTF8.self))
      }
      // A NUL ends what SQLite reads.
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

  /// Rows changed by the last statement, without those changed by triggers and foreign keys.
  public var changes: Int { Int(sqlite3_changes64(handle)) }

  /// Rows changed since the connection was opened, also by triggers and foreign keys.
  public var totalChanges: Int64 { sqlite3_total_changes64(handle) }

  /// Whether a transaction is open.
  public var isInTransaction: Bool { sqlite3_get_autocommit(handle) == 0 }

  /// Whether a transaction is open that has the write lock.
  public var isWriting: Bool { sqlite3_txn_state(handle, "main") == SQLITE_TXN_WRITE }

  /// The first column of the first row as an integer; `nil` when there is no row or it is NULL.
  public func integer(_ sql: String, _ parameters: Value...) throws(SQLiteError) -> Int64? {
    let statement = try cached(sql)
    defer { statement.reset() }
    try statement.bind(parameters)
    return try statement.step() && !statement.isNull(0) ? statement.integer(0) : nil
  }
}
