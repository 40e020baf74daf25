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
  /// - Parameter checking: looks at the tables before anything is written down.
  /// - Returns: how many rows were adopted.
  /// - Throws: what `checking` throws, and for tables and rows that cannot be replicated; the database is then as it was.
  @discardableResult
  public func perform(
    at path: String, migrates: Bool = false, adopts: Bool,
    checking: (ReplicatedSchema) throws -> Void = { _ in }
  ) throws -> Int {
    let connection = try Connection(path: path, mode: .create)
    let rows = try connection.immediate {
      if migrates { try Migration.run(migrations, in: connection) }
      try selection.checkNames(
        among: SchemaReader(connection: connection).tableNames(), path: path)
      let plain = try ReplicatedSchema(connection, selection: selection, merge: MergeOptions())
      try checkSharing(plain, connection)
      try plain.checkUsable(path: path)
      let merge = try ChosenKeys.choose(
        for: plain, besides: merge.merging(inheritedMerge.restricted(to: plain)), connection)
      let schema = try ReplicatedSchema(connection, selection: selection, merge: merge)
      try schema.checkUsable(path: path)
      try merge.check(against: schema, path: path)
      try checking(schema)
      try MergeOptions.checkRows(of: schema, in: connection)
      try BookkeepingSchema.make(in: connection)
      try identity.write(to: Settings(connection))
      try selection.write(to: connection)
      try merge.write(to: connection)
      for migration in migrations { try migration.writeDown(in: connection) }
      try ChosenKeys.keepRowIdentifiers(of: schema, in: connection)
      for table in schema.tables { try StoredDefaults.complete(table, in: connection) }
      let rows = adopts ? try Adoption(connection: connection, schema: schema).perform() : 0
      // With the rows, so that nobody can write in between.
      if capture == .triggers {
        try ForeignCapture(connection).choose(capture, schema, isComplete: true)
      }
      return rows
    }
    // Only now: a database that is refused keeps its mode too, and with it every byte.
    try connection.execute("PRAGMA journal_mode = WAL")
    return rows
  }

  /// A blank database may wait for its tables; one that has some and shares none was not meant.
  private func checkSharing(_ schema: ReplicatedSchema, _ connection: Connection) throws {
    guard schema.tables.isEmpty, try !SchemaTables.areNone(in: connection) else { return }
    let names = try SchemaReader(connection: connection).tableNames()
    throw names.isEmpty
      ? StoreError(
        .unusableTable,
        "nothing would be shared: the database has no tables but virtual ones, which are not replicated",
        path: connection.path, remedy: "attach it when its program has made its tables")
      : StoreError(
        .unusableTable,
        "nothing would be shared: all tables are left out (\(names.joined(separator: ", ")))",
        path: connection.path, remedy: "name tables to share with --tables, or fewer with --except")
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
