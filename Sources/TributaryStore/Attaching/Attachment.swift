import TributaryCore
import TributarySQLite

/// Turns a database into a store: adds the bookkeeping, and makes the existing rows the first transaction.
package struct Attachment {
  package var identity: StoreIdentity
  package var selection: TableSelection
  /// The migrations that made the tables, or will make them.
  package var migrations: [Migration]

  /// How the tables merge.
  package var merge: MergeOptions
  /// How writes are captured.
  package var capture = CaptureMethod.hook
  /// Whether the store adopts what the schemas of other devices add.
  package var follows = false
  /// The declarations of other devices; they hold for tables that `merge` does not mention.
  package var inheritedMerge = MergeOptions()

  /// Tables that are not replicated, but whose rows new devices get once.
  package var copyOnce: [String] = []
  /// The rows of such tables that other devices provide.
  package var inheritedCopies: [CopiedTable] = []
  /// Full-text tables filled by programs, whose contents are to be shared.
  package var shareContents: [String] = []
  /// Whether the container has nothing from other devices, so that many rows can go straight into a first
  /// baseline.
  package var isAlone = false
  /// Reports progress, and ends the work when it is cancelled.
  package var work = LongWork()

  package init(
    identity: StoreIdentity, selection: TableSelection, migrations: [Migration],
    merge: MergeOptions = MergeOptions()
  ) {
    self.identity = identity
    self.selection = selection
    self.migrations = migrations
    self.merge = merge
  }

  /// Attaches the database at `path`, which is created if it is missing, in one transaction.
  ///
  /// - Parameter durably: whether the result must survive a power cut; otherwise, the caller ensures that
  ///   before the file counts.
  /// - Parameter migrates: whether to run the migrations first.
  /// - Parameter adopts: whether the existing rows become the first transaction, with the lowest possible
  ///   time; otherwise, the caller imports the rows.
  /// - Parameter comparing: returns the objections of the other devices to the tables.
  /// - Returns: the number of adopted rows.
  /// - Throws: the refusal of what cannot be replicated, or `AttachError` if there are several. The database
  ///   is then unchanged.
  @discardableResult
  package func perform(
    at path: String, durably: Bool = true, migrates: Bool = false, adopts: Bool,
    comparing: (ReplicatedSchema) throws -> [AttachRefusal] = { _ in [] }
  ) throws -> Int {
    let connection = try Connection(path: path, mode: .create)
    if !durably { try connection.execute("PRAGMA synchronous = OFF") }
    var version: Int64 = 0
    let rows = try heeding(connection) {
      if migrates { try Migration.run(migrations, in: connection, work) }
      try SharedContents.make(shareContents, in: connection, path: path)
      let found = try examine(connection, path: path, adopts: adopts, comparing: comparing)
      try found.refusals.check()
      let schema = found.schema
      try BookkeepingSchema.make(in: connection)
      try identity.write(to: Settings(connection))
      try selection.write(to: connection)
      try found.merge.write(to: connection)
      try CopiedTables(connection).write(found.copied)
      try Migration.writeDown(migrations, in: connection)
      try ChosenKeys.keepRowIdentifiers(of: schema, in: connection)
      for table in schema.tables { try StoredDefaults.complete(table, in: connection) }
      try StoppedTables(connection).remember()
      try FollowedSchema(connection).set(following: follows)
      let rows =
        adopts
        ? try Adoption(connection: connection, schema: schema, path: path, work: work)
          .perform(alone: isAlone ? identity.peer : nil) : 0
      // In the same transaction as the rows, so that no other program can write in between.
      if capture == .triggers {
        try ForeignCapture(connection).choose(capture, schema, isComplete: true)
      }
      version = try connection.integer("PRAGMA main.data_version") ?? 0
      try work.cancellation?.check()
      return rows
    }
    // Only now, so that a refused database also keeps its journal mode, and with it every byte.
    if try connection.logHead() == nil {
      try connection.execute("PRAGMA journal_mode = WAL")
      // The change of mode counts as if another connection had changed the data.
      version += 1
    }
    try begin(connection, version: version)
    return rows
  }

  /// Runs `body` in a transaction that can be cancelled until it commits.
  private func heeding<Result>(
    _ connection: Connection, _ body: () throws -> Result
  ) throws -> Result {
    try connection.heeding(work.cancellation) { try connection.immediate(body) }
  }

  /// Starts distinguishing this store's commits from those of other programs.
  ///
  /// - Parameter version: SQLite's version of the data if no program has written since.
  private func begin(_ connection: Connection, version: Int64) throws {
    connection.observer = OwnCommits()
    try connection.immediate {
      guard try connection.integer("PRAGMA main.data_version") == version else { return }
      try ForeignCapture(connection).vouch()
    }
    try CommitSeal(connection).set()
  }

  /// Examines a database as `perform` does before it changes anything.
  package func examine(
    _ connection: Connection, path: String, adopts: Bool,
    comparing: (ReplicatedSchema) throws -> [AttachRefusal]
  ) throws -> AttachExamination {
    try AttachExamination(connection, self, path: path, adopts: adopts, comparing: comparing)
  }
}

extension TableSelection {
  var names: [String] {
    switch self {
    case .all: []
    case .only(let names), .except(let names): names
    }
  }
}
