import Glibc
import Synchronization
import TributaryCore
import TributarySQLite

/// A store of this device: an attached SQLite database.
///
/// One thread writes at a time, and any number of threads read. Imports and publishing use a separate
/// connection.
package final class LocalStore: Sendable {
  package let path: String

  /// Opened by the first write, so that a process that only reads need not wait for it.
  private let writer = SerialLock<WriterConnection?>(nil)
  /// How long a write waits for others.
  private let busyMilliseconds: Int32
  private let milliseconds: @Sendable () -> UInt64
  private let synchronous: SynchronousMode
  private let randomness: @Sendable () -> UInt64
  private let recognition: CopyRecognition
  private let readers = Mutex<Readers>(Readers())
  /// Closed only by `rest`.
  private let service: SerialLock<Connection?>
  /// Opened by the first exchange.
  private let exchanging = SerialLock<Connection?>(nil)
  private let commits = Mutex<(@Sendable (SequenceNumber) -> Void)?>(nil)
  private let lastPeer: Mutex<PeerIdentity>
  /// Notifies observers of commits.
  package let observation = CommitObservation()

  /// Opens an attached store.
  ///
  /// - Parameters:
  ///   - milliseconds: returns the physical clock, in milliseconds since 1970.
  ///   - randomness: returns a random number for each transaction; see `HybridClock.tick`.
  ///   - recognition: finds out, before the first write and the first exchange, whether the file is a copy.
  ///   - synchronous: what a commit waits for; imports wait for nothing, since they can be repeated.
  ///   - busyMilliseconds: how long a write waits for others, in this process and in other processes
  ///     together.
  ///   - onlyLooks: whether to open it even where the disk is full, as long as nothing has to be written.
  /// - Throws: `StoreError` with the code `notAttached` for a database without bookkeeping, `SQLiteError` for a file that
  ///   cannot be opened.
  package init(
    path: String, milliseconds: @escaping @Sendable () -> UInt64,
    randomness: @escaping @Sendable () -> UInt64 = SQLiteRandomness.next,
    recognition: CopyRecognition = CopyRecognition(), synchronous: SynchronousMode = .normal,
    busyMilliseconds: Int32 = Connection.defaultBusyMilliseconds, onlyLooks: Bool = false
  ) throws {
    self.path = path
    self.busyMilliseconds = busyMilliseconds
    self.synchronous = synchronous
    try StorePath.check(path)
    try StorePath.checkPresent(path)
    let service =
      try onlyLooks
      ? Self.makeLookingConnection(path) : Self.makeServiceConnection(path)
    guard try Settings.exist(in: service) else {
      throw StoreError(
        .notAttached, "the database is not attached to a container", path: path,
        remedy: "run `tributary attach`")
    }
    try StoreExtensions(service, birth: recognition.birth).use(at: path)
    lastPeer = Mutex(try Settings(service).identity().peer)
    if !service.keepsOthersOut { try service.execute("PRAGMA journal_mode = WAL") }
    self.service = SerialLock(service)
    self.milliseconds = milliseconds
    self.randomness = randomness
    self.recognition = recognition
  }

  /// Whether a database has the bookkeeping of a store.
  package static func isAttached(at path: String) throws -> Bool {
    try StorePath.check(path)
    return try Settings.exist(in: Connection(path: path, mode: .readWrite))
  }

  /// Returns the identity of this store.
  package func identity() throws -> StoreIdentity {
    try service { try Settings($0).identity() }
  }

  /// This store's identity as a writer, as last read. It changes when the store finds that another one uses
  /// the same identity.
  package var peer: PeerIdentity { lastPeer.withLock { $0 } }

  /// Records the current identity of the store.
  package func note(peer: PeerIdentity) { lastPeer.withLock { $0 = peer } }

  /// Runs `body` in a transaction and commits it together with the record of what it changed.
  ///
  /// - Parameter cancellation: ends the wait for other writers, and the statements of `body`; the commit goes on.
  /// - Returns: what `body` returns.
  /// - Throws: what `body` throws; `SQLiteError`, `StoreError`; `CancellationError`. In each case, nothing
  ///   has changed.
  package func write<Result>(
    heeding cancellation: Cancellation? = nil, _ body: (Database) throws -> Result
  ) throws -> Result {
    try write(firingTriggers: true, heeding: cancellation, body)
  }

  /// Runs a write based on an earlier version. Whatever happened since that version is concurrent with the
  /// write; the merge rules decide the outcome and report conflicts.
  ///
  /// - Throws: what the other `write` throws, and `StoreError` with the code `version` for a version of
  ///   another store or one later than the current version.
  package func write<Result>(
    basedOn version: Version, heeding cancellation: Cancellation? = nil,
    _ body: (Database) throws -> Result
  ) throws -> Result {
    try write(firingTriggers: true, basedOn: version, heeding: cancellation, body)
  }

  /// Runs a write whose triggers can be switched off, if their effects are already among the rows being
  /// written.
  package func write<Result>(
    firingTriggers: Bool, basedOn version: Version? = nil,
    heeding cancellation: Cancellation? = nil, _ body: (Database) throws -> Result
  ) throws -> Result {
    let (result, sequence) = try withWriter(heeding: cancellation) { shared in
      let writer = try firingTriggers ? shared : makeSilentWriter()
      return try write(on: writer, basedOn: version, heeding: cancellation, body)
    }
    if let sequence { didCommit(sequence) }
    return result
  }

  private func write<Result>(
    on writer: WriterConnection, basedOn version: Version? = nil,
    migrating migration: DeclaredMigration? = nil, heeding cancellation: Cancellation? = nil,
    _ body: (Database) throws -> Result
  ) throws -> (Result, SequenceNumber?) {
    try writer.connection.heeding(cancellation) { try writer.begin() }
    writer.transaction.migration = migration
    let database = Database(writer: writer, heeding: cancellation)
    defer { database.close() }
    do {
      let basis = try version.flatMap(writer.connection.basis)
      let result = try writer.connection.heeding(cancellation) { try body(database) }
      try cancellation?.check()
      return (result, try writer.commit(basis: basis))
    } catch {
      writer.rollBack()
      throw error
    }
  }

  /// Runs a migration. Foreign keys are off meanwhile, and are checked when it ends.
  func write(
    migrating migration: DeclaredMigration, heeding cancellation: Cancellation? = nil,
    _ body: (Database) throws -> Void
  ) throws {
    let sequence = try withWriter(heeding: cancellation) { writer in
      if writer.schema.enforcesForeignKeys {
        writer.connection.setForeignKeys(enforced: false)
        writer.connection.classifier?.hasSettings = true
      }
      return try write(on: writer, migrating: migration, heeding: cancellation, body).1
    }
    if let sequence { didCommit(sequence) }
  }

  /// Records, as a separate transaction, what other programs have written into the database, as far as
  /// triggers have captured it. Every write does the same first.
  ///
  /// - Complexity: a few searches if there is nothing to record.
  package func recordForeignWrites() throws {
    guard try service({ try ForeignCapture($0).isPending() }) else { return }
    try withWriter { writer in
      try writer.begin()
      writer.rollBack()
    }
  }

  /// Whether other programs have made changes that are not recorded yet.
  package func hasForeignWrites() throws -> Bool {
    try service { try ForeignCapture($0).isDue() }
  }

  /// Runs `body` on a snapshot of the database; `body` cannot write.
  package func read<Result>(
    heeding cancellation: Cancellation? = nil, _ body: (Database) throws -> Result
  ) throws -> Result {
    try Self.whileAttached(path) {
      let connection = try takeReader()
      defer { giveBack(connection) }
      return try connection.lend(heeding: cancellation, body)
    }
  }

  private func takeReader() throws -> Connection {
    let (isEnded, idle) = readers.withLock { ($0.isEnded, $0.take()) }
    if isEnded { throw closed() }
    return try (idle ?? Readers.open(path)).connection
  }

  private func giveBack(_ connection: Connection) {
    let reader = Readers.Idle(connection)
    if !readers.withLock({ $0.give(reader) }) { connection.close() }
  }

  /// Runs a script as `tributary sql` does: as one transaction, unless the script itself contains BEGIN.
  ///
  /// - Parameter version: the version that the script is based on, as in `write(basedOn:)`; the script is
  ///   then one transaction and must not contain BEGIN.
  /// - Parameter row: called with each row of each result.
  package func run(
    script: String, parameters: [Value] = [], basedOn version: Version? = nil,
    row: (Statement) throws -> Void
  ) throws {
    let sequences = try withWriter { writer in
      try ScriptRunner(writer: writer, version: version).run(
        script, parameters: parameters, row: row)
    }
    for sequence in sequences { didCommit(sequence) }
  }

  /// Lends a connection on which triggers and foreign keys are off, and whose writes are not
  /// captured. Not for work that may take long.
  package func service<Result>(_ body: (Connection) throws -> Result) throws -> Result {
    try service.with(orIfHeld: nested, orIfEnded: closed) { connection in
      try Self.whileAttached(path) {
        let open = try connection ?? reopen()
        connection = open
        return try body(open)
      }
    }
  }

  /// Lends a connection like that of `service` for work with the container, which may take long. Short work
  /// then need not wait for it.
  package func exchange<Result>(_ body: (Connection) throws -> Result) throws -> Result {
    try checkOutsideWrite()
    return try exchanging.with(orIfHeld: nestedExchange, orIfEnded: closed) { connection in
      try Self.whileAttached(path) {
        let open = try connection ?? makeExchangeConnection()
        connection = open
        return try body(open)
      }
    }
  }

  /// Lends a connection like that of `service` for work that no caller waits for, and closes it afterwards.
  package func background<Result>(_ body: (Connection) throws -> Result) throws -> Result {
    try checkOpen()
    try checkOutsideWrite()
    return try Self.whileAttached(path) {
      let connection = try Self.makeServiceConnection(path)
      defer { connection.close() }
      return try body(connection)
    }
  }

  /// Closes the store: later calls throw `StoreError` with the code `closed`.
  ///
  /// Running operations go on to their end, and then their files are closed too; this call does not wait for
  /// them. Any thread may call it, and more than once.
  package func close() {
    for reader in readers.withLock({ $0.end() }) { reader.connection.close() }
    writer.end()
    exchanging.end()
    // Without the write-ahead log, only the seal shows that no other program has written. If it cannot be
    // set, the rows will be compared.
    service.end { connection in if let connection { try? CommitSeal(connection).set() } }
  }

  /// Opens the store after `rest`.
  private func reopen() throws -> Connection {
    let connection = try Self.makeServiceConnection(path)
    // A program may have chosen another mode in the meantime.
    try connection.execute("PRAGMA journal_mode = WAL")
    return connection
  }

  /// Closes all connections until they are needed again, so that another program can have the database to
  /// itself. Waits for running operations.
  package func rest() throws {
    for reader in readers.withLock({ $0.takeAll() }) { reader.connection.close() }
    try writer.with(orIfHeld: nested, orIfEnded: closed) { $0 = nil }
    try exchanging.with(orIfHeld: nestedExchange, orIfEnded: closed) { $0 = nil }
    try service.with(orIfHeld: nested, orIfEnded: closed) { connection in
      // As in `close`.
      if let connection { try? CommitSeal(connection).set() }
      connection = nil
    }
  }

  deinit { close() }

  /// Checks that the store is open.
  ///
  /// - Throws: `StoreError` with the code `closed`.
  package func checkOpen() throws {
    if readers.withLock({ $0.isEnded }) { throw closed() }
  }

  /// Whether the calling thread is inside `write`.
  package var isWriting: Bool { writer.isHeldByThisThread }

  /// Checks that the calling thread is not inside `write`: there, a write on another connection would wait
  /// for this very thread.
  ///
  /// - Throws: `StoreError` with the code `misuse` inside `write`.
  package func checkOutsideWrite() throws {
    guard isWriting else { return }
    throw StoreError(
      .misuse, "a synchronisation, a backup, or a look at conflicts, inside a write", path: path,
      remedy: "do it when the write has returned")
  }

  /// Returns the replicated tables.
  package func schema() throws -> ReplicatedSchema {
    try service { try ReplicatedSchema($0, selection: TableSelection($0)) }
  }

  /// Sets a function to be called after each recorded commit, on the thread that committed.
  package func onCommit(_ function: (@Sendable (SequenceNumber) -> Void)?) {
    commits.withLock { $0 = function }
  }

  /// Makes a writer on which only the triggers that maintain tables outside replication fire. It serves one
  /// write, since restoring its triggers might fail.
  private func makeSilentWriter() throws -> WriterConnection {
    let writer = try makeWriter(isSilent: true)
    writer.connection.setTriggers(firing: false)
    try ImportTriggers(writer.connection).renew()
    return writer
  }

  private func makeWriter(isSilent: Bool = false) throws -> WriterConnection {
    let writer = try WriterConnection(
      path: path, isSilent: isSilent, synchronous: synchronous, milliseconds: milliseconds,
      randomness: randomness, observation: observation)
    try Self.checkInPlace(writer.connection)
    try recognition.look(at: writer.connection)
    return writer
  }

  private func makeExchangeConnection() throws -> Connection {
    let connection = try Self.makeServiceConnection(path)
    try Self.checkInPlace(connection)
    try recognition.look(at: connection)
    return connection
  }

  private func withWriter<Result>(
    heeding cancellation: Cancellation? = nil, _ body: (WriterConnection) throws -> Result
  ) throws -> Result {
    try Self.whileAttached(path) {
      guard let cancellation else { return try lendWriter(nil, body) }
      return try cancellation.naming { try lendWriter(cancellation, body) }
    }
  }

  private func lendWriter<Result>(
    _ cancellation: Cancellation?, _ body: (WriterConnection) throws -> Result
  ) throws -> Result {
    let start = cancellation?.start ?? ContinuousClock.now
    let left =
      cancellation?.start == nil
      ? Int(busyMilliseconds)
      : max(0, Int(busyMilliseconds) - Int((ContinuousClock.now - start) / .milliseconds(1)))
    return try writer.with(
      orIfHeld: nested, orIfEnded: closed, waiting: left, orIfBusy: busy,
      heeding: cancellation
    ) { writer in
      let connection = try writer ?? makeWriter()
      // Waiting for other threads and for other processes together takes no longer than that.
      let waited = Int32(clamping: Int64((ContinuousClock.now - start) / .milliseconds(1)))
      if waited > 0 { connection.connection.limitWaiting(to: busyMilliseconds - waited) }
      defer { if waited > 0 { connection.connection.limitWaiting(to: busyMilliseconds) } }
      defer { if let sequence = connection.takeForeignSequence() { didCommit(sequence) } }
      // Whatever a pragma changed lasts until the end of the write.
      defer { writer = connection.connection.classifier?.hasSettings == true ? nil : connection }
      return try body(connection)
    }
  }

  private func didCommit(_ sequence: SequenceNumber) {
    commits.withLock { $0 }?(sequence)
  }

  private func busy() -> any Error { SQLiteError.busy(path, afterMilliseconds: busyMilliseconds) }

  private func nested() -> any Error {
    StoreError(
      .misuse, "a write inside a write", path: path,
      remedy: "use the database that the outer one lends")
  }

  private func nestedExchange() -> any Error {
    StoreError(
      .misuse, "a synchronisation inside a synchronisation", path: path,
      remedy: "call it when the first one has returned")
  }

  private func closed() -> any Error {
    StoreError(.closed, "the store was closed", path: path, remedy: "open it again")
  }
}
