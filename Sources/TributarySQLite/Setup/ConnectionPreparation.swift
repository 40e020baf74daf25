import CSQLite
import Synchronization
import TributaryCore

/// What an application does with each connection to a database once it is open.
package struct ConnectionPreparation: Sendable {
  /// Prepares the connection; `nil` does nothing.
  package var body: (@Sendable (borrowing ConnectionSetup) throws -> Void)?
  private var tracer: StatementTracer?

  /// - Parameter trace: called with each statement of the application.
  package init(
    body: (@Sendable (borrowing ConnectionSetup) throws -> Void)?,
    trace: (@Sendable (StatementTrace) -> Void)?
  ) {
    self.body = body
    tracer = trace.map { StatementTracer(body: $0) }
  }

  /// Checks whether the preparation is possible.
  ///
  /// - Parameter path: the path of the database that it is for, which errors name.
  /// - Throws: what the preparation throws.
  package func rehearse(for path: String) throws {
    let connection = try Connection(path: ":memory:", mode: .create, extensions: [])
    defer { connection.close() }
    do {
      try body?(ConnectionSetup(connection, isTrial: true))
    } catch var error as SQLiteError where error.file == connection.path {
      error.file = path
      throw error
    }
  }

  /// Returns the preparation, with missing parts taken from an earlier one.
  func completed(by earlier: ConnectionPreparation?) -> ConnectionPreparation {
    var whole = self
    whole.body = body ?? earlier?.body
    whole.tracer = tracer ?? earlier?.tracer
    return whole
  }

  // If this is inlined, the optimizer of Swift 6.3.1 crashes.
  @inline(never)
  fileprivate func run(on connection: Connection) throws {
    try body?(ConnectionSetup(connection, isTrial: false))
    // Only applications have their statements classified.
    if connection.classifier != nil { tracer?.install(on: connection) }
  }
}

extension Connection {
  private static let prepared = Mutex(PreparedDatabases())

  /// Marks the preparation of a database in a list of extensions.
  private static let mark = "\u{0}prepared "

  /// Prepares all connections opened from now on to a database, to files beside it whose names begin with its
  /// own name and a dash, and to databases in memory that take their place. It applies to the file, however
  /// the path is spelled.
  package static func setPreparation(_ preparation: ConnectionPreparation, ofDatabase path: String)
  {
    let file = PreparedDatabases.file(at: path)
    prepared.withLock { $0.prepare(file, spelled: path, with: preparation) }
  }

  /// Returns the extensions that connections to a database load, with the mark of its preparation.
  package static func companions(ofDatabase path: String) -> [String] {
    let files = extensions(ofDatabase: path) ?? []
    if prepared.withLock({ $0.isEmpty }) { return files }
    let file = PreparedDatabases.file(at: path)
    let key = prepared.withLock { $0.key(of: file, spelled: path) }
    return key.map { files + [mark + $0] } ?? files
  }

  /// Prepares the connection if an entry in a list of extensions requires it.
  ///
  /// - Returns: whether it is such an entry.
  func prepare(for entry: String) throws(SQLiteError) -> Bool {
    guard entry.hasPrefix(Self.mark) else { return false }
    let key = String(entry.dropFirst(Self.mark.count))
    guard let preparation = Self.prepared.withLock({ $0[key] }) else { return true }
    do {
      try preparation.run(on: self)
    } catch let error as SQLiteError {
      throw error
    } catch {
      throw SQLiteError(
        code: SQLITE_ERROR, message: "a connection could not be prepared: \(error)", path: path,
        advice: "see `prepare` of the options with which the store was opened")
    }
    return true
  }
}
