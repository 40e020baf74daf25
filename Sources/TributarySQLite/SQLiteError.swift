import CSQLite
import Glibc
public import TributaryCore

/// A failure reported by SQLite.
public struct SQLiteError: TributaryError {
  /// The extended result code, such as that of a UNIQUE violation.
  ///
  /// Source: https://www.sqlite.org/rescode.html
  public var resultCode: Int32

  /// SQLite's message.
  public var message: String

  /// The failed statement, without its parameters; `nil` if there was none.
  public var sql: String?

  /// The database file; empty for a temporary database.
  package var file: String

  /// The lower eight bits of the result code, such as `SQLITE_CONSTRAINT`.
  public var primaryCode: Int32 { resultCode & 0xff }

  /// What the user can do, if this library knows more than the code says.
  package var advice: String?

  /// The value of `errno` if the system was the cause; otherwise zero.
  package var systemCode: Int32 = 0

  /// Makes an error from what SQLite reported.
  public init(
    code: Int32, message: String, sql: String? = nil, path: String, advice: String? = nil
  ) {
    self.advice = advice
    resultCode = code
    self.message = message
    self.sql = sql
    file = path
  }

  /// Whether a UNIQUE index or a primary key was violated.
  public var isUniqueViolation: Bool {
    resultCode == Self.uniqueViolation || resultCode == Self.primaryKeyViolation
      || resultCode == Self.rowIdentifierViolation
  }

  /// Whether a column that must not be NULL would have been.
  package var isNotNullViolation: Bool { resultCode == SQLITE_CONSTRAINT | 5 << 8 }

  /// Whether any constraint was violated.
  public var isConstraintViolation: Bool { primaryCode == SQLITE_CONSTRAINT }

  /// Whether the tables do not allow the write: a constraint was violated, or a row identifier was to become
  /// something other than an integer, as ON DELETE SET NULL of an `INTEGER PRIMARY KEY` demands.
  package var isRefusalOfWrite: Bool { isConstraintViolation || primaryCode == SQLITE_MISMATCH }

  /// Whether another connection held the lock for longer than the busy time-out.
  public var isBusy: Bool { primaryCode == SQLITE_BUSY || primaryCode == SQLITE_LOCKED }

  /// Returns the error for a write that has waited too long for other writes of its process.
  package static func busy(_ path: String, afterMilliseconds milliseconds: Int32) -> SQLiteError {
    SQLiteError(
      code: SQLITE_BUSY,
      message: "another write of this process has taken longer than \(milliseconds) ms", path: path,
      advice: "try again, and make long writes shorter")
  }

  /// Whether the cause is the contents of the database, and not the system, such as a full disk.
  package var isOfContents: Bool {
    isDamage || isRefusalOfWrite || primaryCode == SQLITE_ERROR || primaryCode == SQLITE_TOOBIG
  }

  /// Whether SQLite considers the file damaged, or not a database.
  public var isDamage: Bool { primaryCode == SQLITE_CORRUPT || primaryCode == SQLITE_NOTADB }

  /// Whether the statement itself is at fault: for example, it names a function that does not exist.
  public var isOfStatement: Bool { primaryCode == SQLITE_ERROR }

  /// Whether the file or the connection is read-only.
  public var isReadOnly: Bool { primaryCode == SQLITE_READONLY }

  // These are macros with shifts, which Swift does not import.
  private static let uniqueViolation = SQLITE_CONSTRAINT | 8 << 8
  private static let primaryKeyViolation = SQLITE_CONSTRAINT | 6 << 8
  private static let rowIdentifierViolation = SQLITE_CONSTRAINT | 10 << 8

  /// A row refers to a row that does not exist.
  package static let foreignKeyViolation = SQLITE_CONSTRAINT | 3 << 8
}

extension SQLiteError {
  /// Returns the error with advice on what the user can do.
  package func advising(_ advice: String) -> SQLiteError {
    var error = self
    error.advice = advice
    return error
  }
}

extension SQLiteError {
  /// The parts of the error; its path is `nil` for a temporary database.
  public var details: ErrorDetails {
    ErrorDetails(kind, finding, path: file.isEmpty ? nil : file, remedy: advice ?? usualRemedy)
  }

  /// One line: the file, SQLite's message, what to do about it, and the statement.
  public var description: String {
    var text = "\(file.isEmpty ? "a temporary database" : file): \(details.text)"
    // The statement does not matter if the file is not a database, nor if the system fails regardless of the
    // statement.
    if let sql, primaryCode != SQLITE_NOTADB, !lacksRoom, !lacksFiles {
      text += " (in: \(Self.beginning(of: sql)))"
    }
    return text
  }

  /// Returns the beginning of a statement: SQLite's text includes everything that follows in a script.
  private static func beginning(of sql: String) -> String {
    sql.utf8.count <= shownByteCount ? sql : sql.prefix(shownByteCount) + "…"
  }

  /// At most this many bytes of a statement are shown.
  private static let shownByteCount = 500

  /// Whether the disk is full. If there is no space for the index of a write-ahead log, or for its entry in
  /// the directory, SQLite reports a failure of the device.
  package var lacksRoom: Bool {
    primaryCode == SQLITE_FULL || resultCode == SQLITE_IOERR | 19 << 8
      || isOfSystem && (systemCode == ENOSPC || systemCode == EDQUOT)
  }

  /// Whether there are too many open files.
  package var lacksFiles: Bool { isOfSystem && (systemCode == EMFILE || systemCode == ENFILE) }

  private var isOfSystem: Bool { primaryCode == SQLITE_IOERR || primaryCode == SQLITE_CANTOPEN }

  /// SQLite's message if it says what has happened; otherwise the system's message.
  private var finding: String {
    if lacksFiles { return "too many open files (\(message))" }
    return lacksRoom && primaryCode != SQLITE_FULL ? "the disk is full (\(message))" : message
  }

  private var kind: ErrorCode {
    switch primaryCode {
    case SQLITE_IOERR where lacksRoom, SQLITE_CANTOPEN where lacksRoom: .full
    case SQLITE_BUSY, SQLITE_LOCKED: .inUse
    case SQLITE_FULL: .full
    case SQLITE_IOERR, SQLITE_CANTOPEN: .inaccessible
    case SQLITE_READONLY: .readOnly
    case SQLITE_NOTADB: .notADatabase
    case SQLITE_CORRUPT: .damaged
    case SQLITE_CONSTRAINT: .constraint
    default: .statement
    }
  }

  /// What the user can do about it; empty if SQLite's own message says it.
  private var usualRemedy: String {
    switch primaryCode {
    case SQLITE_BUSY: "another process is writing: try again"
    case SQLITE_LOCKED: "a query that is still running reads it: do it when that has ended"
    case SQLITE_FULL: "free some space on the disk"
    case SQLITE_IOERR where lacksRoom, SQLITE_CANTOPEN where lacksRoom:
      "free some space on the disk"
    case SQLITE_IOERR where lacksFiles, SQLITE_CANTOPEN where lacksFiles:
      "raise the limit of open files, which `ulimit -n` shows and LimitNOFILE= of systemd sets"
    case SQLITE_IOERR: "check the device and the system's log, then try again"
    case SQLITE_READONLY: "make the file and its directory writable"
    case SQLITE_CANTOPEN: "check that the directory exists and can be read and written"
    case SQLITE_NOTADB: "this is not an SQLite database: check the path"
    case SQLITE_CORRUPT:
      "the file or the disk is damaged: try again; if it stays, `tributary rebuild` brings it back "
        + "from the logs, and `tributary doctor` says what it cannot"
    default: ""
    }
  }
}
