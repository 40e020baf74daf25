import TributaryCore
import TributaryLog
import TributarySQLite

extension LocalStore {
  /// Runs the migrations that have not run yet, each together with its record in one transaction.
  ///
  /// - Parameter merge: declarations about tables, including those that the migrations make.
  /// - Parameter isWritten: whether another device has written the rows of a migration that runs once; its
  ///   rows are imported, and not written again.
  /// - Parameter work: reports each migration before it runs.
  /// - Throws: an error that names the failed migration, or `CancellationError`; the ones before it stay.
  package func migrate(
    _ migrations: [Migration], declaring merge: MergeOptions? = nil,
    _ work: LongWork = LongWork(), isWritten: (Migration) throws -> Bool = { _ in false }
  ) throws {
    var total: Int?
    var made: MadeMigrations?
    while true {
      let pending = try service { try Migration.pending(migrations, in: $0) }
      guard let migration = pending.first else { return }
      let all = total ?? pending.count
      total = all
      try work.note(Migration.stage, max(0, all - pending.count), of: all)
      let there = try made ?? service { try MadeMigrations(migrations, in: $0) }
      made = there
      do {
        if try there.contains(
          migration,
          isWritten: {
            try service { try WrittenMigrations($0).contains(migration.mark) }
              || isWritten(migration)
          })
        {
          try service { try migration.checkNames(in: $0) }
          try note(migration, among: migrations)
          continue
        }
        try run(migration, among: migrations, merge, work.cancellation, isWritten)
      } catch let error as SQLiteError {
        throw try service { migration.failure(error, $0, lacking: there.lacking) }
      } catch let error as StoreError {
        throw migration.failure(error)
      }
    }
  }

  /// Records a migration as run whose tables the store already has.
  private func note(_ migration: Migration, among migrations: [Migration]) throws {
    let changes = try migration.directives(path).names
    try write(migrating: DeclaredMigration(names: changes)) { database in
      guard try Migration.pending(migrations, in: database.connection).first == migration else {
        return
      }
      try migration.writeDown(in: database.connection)
      try database.note(changes)
    }
  }

  private func run(
    _ migration: Migration, among migrations: [Migration], _ merge: MergeOptions?,
    _ cancellation: Cancellation?, _ isWritten: (Migration) throws -> Bool
  ) throws {
    let directives = try migration.directives(path)
    var declared = DeclaredMigration(names: directives.names)
    guard directives.rows == .once else {
      return try run(migration, among: migrations, declared, merge, cancellation)
    }
    declared.mark = migration.mark
    let isKnown =
      try service { try WrittenMigrations($0).contains(migration.mark) } || isWritten(migration)
    guard isKnown else {
      declared.isFirst = true
      return try run(migration, among: migrations, declared, merge, cancellation)
    }
    // Usually the first way works. Rows that have already been imported may conflict with the statements that
    // write them, and what the statements do to the tables may need the rows.
    var failure: (any Error)?
    for way in [DeclaredMigration.RowWriting.takenBack, .skipped, .recorded] {
      declared.rows = way
      do {
        return try run(migration, among: migrations, declared, merge, cancellation)
      } catch {
        try cancellation?.check()
        failure = failure ?? error
      }
    }
    if let failure { throw failure }
  }

  private func run(
    _ migration: Migration, among migrations: [Migration], _ declared: DeclaredMigration,
    _ merge: MergeOptions?, _ cancellation: Cancellation?
  ) throws {
    try write(migrating: declared, heeding: cancellation) { database in
      // Another process may have run it first.
      guard try Migration.pending(migrations, in: database.connection).first == migration else {
        return
      }
      if declared.isFirst, let mark = declared.mark,
        try WrittenMigrations(database.connection).contains(mark)
      {
        // Its rows have been imported in the meantime, so the migration is examined again.
        return
      }
      try StoppedTables(database.connection).check(declared.names)
      if let apply = migration.apply {
        try apply(database)
      } else {
        try database.execute(migration: migration.sql)
      }
      try migration.writeDown(in: database.connection)
      try database.take(declared.names)
      // This comes before anything is recorded about the new tables.
      if let merge { try database.declare(merge) }
    }
  }
}

/// What a migration that is about to run declares.
struct DeclaredMigration {
  /// What the migration renames and drops.
  var names: [NameChange] = []
  /// The name that transactions with its rows give it; `nil` if each device writes its own rows.
  var mark: String?
  /// Whether this must be the first device to write its rows.
  var isFirst = false
  var rows = RowWriting.recorded

  /// What happens to the rows that it writes.
  enum RowWriting {
    case recorded
    /// They are written, then undone: another device has written them, and they are imported from there.
    case takenBack
    /// The statements that would write them do not run.
    case skipped
  }
}

extension Database {
  /// Records what a migration has renamed and dropped, everywhere in the bookkeeping.
  fileprivate func take(_ changes: [NameChange]) throws {
    if changes.isEmpty { return }
    try GivenUpNames(connection, changes).check(changes)
    // Tables that are left out may be renamed, too.
    try NameChange.check(
      changes, against: ReplicatedSchema(connection, selection: .all, merge: MergeOptions()),
      path: connection.path)
    try note(changes)
  }

  fileprivate func note(_ changes: [NameChange]) throws {
    if changes.isEmpty { return }
    let writer = try openWriter()
    var names = try NameChanges(connection)
    for change in changes { try change.carryOut(in: connection, writer.schema) }
    names.add(changes)
    try names.write(to: connection)
    try MergeOptions(connection).named(as: writer.schema, names).write(to: connection)
    try connection.execute(ReplicatedSchema.renewal)
    try schemaDidChange()
  }
}
