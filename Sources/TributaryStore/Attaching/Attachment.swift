import TributaryCore
import TributarySQLite

/// Makes a database a store: the bookkeeping, and its present rows as the first transaction.
public struct Attachment {
  public var identity: StoreIdentity
  public var selection: TableSelection
  /// The migrations that made the tables, or are to make them.
  public var migrations: [Migration]

  /// How the tables merge.
  public var merge: MergeOptions
  /// How writes are captured.
  public var capture = CaptureMethod.hook
  /// What other devices declare: holds for the tables of which `merge` says nothing.
  public var inheritedMerge = MergeOptions()

  /// Tables that are not replicated, whose rows new devices get once.
  public var copyOnce: [String] = []
  /// What other devices say of such tables.
  public var inheritedCopies: [CopiedTable] = []
  /// Full-text tables that programs fill, whose contents are to be shared.
  public var shareContents: [String] = []

  public init(
    identity: StoreIdentity, selection: TableSelection, migrations: [Migration],
    merge: MergeOptions = MergeOptions()
  ) {
    self.identity = identity
    self.selection = selection
    self.migrations = migrations
    self.merge = merge
  }

  /// Attaches the database at `path`, which is made when it is missing, in one transaction.
  ///
  /// - Parameter migrates: whether the migrations are to be run first.
  /// - Parameter adopts: whether present rows become the first transaction, with the lowest time
  ///   there is; otherwise the caller imports what belongs there.
  /// - Parameter comparing: what the other devices have against the tables.
  /// - Returns: how many rows were adopted.
  /// - Throws: for what cannot be replicated: the only refusal, or `AttachError` with all of them. The
  ///   database is then as it was.
  @discardableResult
  public func perform(
    at path: String, migrates: Bool = false, adopts: Bool,
    comparing: (ReplicatedSchema) throws -> [AttachRefusal] = { _ in [] }
  ) throws -> Int {
    let connection = try Connection(path: path, mode: .create)
    var version: Int64 = 0
    let rows = try connection.immediate {
      if migrates { try Migration.run(migrations, in: connection) }
      try SharedContents.make(shareContents, in: connection, path: path)
      let found = try examine(connection, path: path, adopts: adopts, comparing: comparing)
      try found.refusals.check()
      let schema = found.schema
      try BookkeepingSchema.make(in: connection)
      try identity.write(to: Settings(connection))
      try selection.write(to: connection)
      try found.merge.write(to: connection)
      try CopiedTables(connection).write(found.copied)
      for migration in migrations { try migration.writeDown(in: connection) }
      try ChosenKeys.keepRowIdentifiers(of: schema, in: connection)
      for table in schema.tables { try StoredDefaults.complete(table, in: connection) }
      let rows =
        adopts
        ? try Adoption(connection: connection, schema: schema, path: path).perform() : 0
      // With the rows, so that nobody can write in between.
      if capture == .triggers {
        try ForeignCapture(connection).choose(capture, schema, isComplete: true)
      }
      version = try connection.integer("PRAGMA main.data_version") ?? 0
      return rows
    }
    // Only now: a database that is refused keeps its mode too, and with it every byte.
    if try connection.logHead() == nil {
      try connection.execute("PRAGMA journal_mode = WAL")
      // Counted as if somebody else had changed it.
      version += 1
    }
    if capture == .hook { try begin(connection, version: version) }
    return rows
  }

  /// Begins to tell own commits from those of other programs.
  ///
  /// - Parameter version: what SQLite says the version of the data is when nobody has written since.
  private func begin(_ connection: Connection, version: Int64) throws {
    connection.observer = OwnCommits()
    try connection.immediate {
      guard try connection.integer("PRAGMA main.data_version") == version else { return }
      try ForeignCapture(connection).vouch()
    }
    try CommitSeal(connection).set()
  }

  /// Looks at a database as `perform` does before it changes anything.
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
