import TributaryCore
import TributaryMerge
import TributarySQLite
import TributaryStore

/// Carries out `rebuild`.
struct Rebuilder {
  let path: String
  let environment: Environment
  let progress: ((Progress) -> Void)?

  func rebuild() throws -> RebuildReport {
    guard try environment.localFiles.status(path) != nil else {
      throw StoreError(
        .notAttached, "there is no such file", path: path,
        remedy: "run `tributary attach`: it rebuilds a missing store from the logs")
    }
    let original = try ExclusiveDatabase(path: path)
    defer { original.release() }
    guard try Settings.exist(in: original.connection) else {
      throw StoreError(
        .notAttached, "the database is not attached to a container", path: path,
        remedy: "run `tributary attach`")
    }
    let staging = Staging(target: path, fileSystem: environment.localFiles)
    return try staging.build(replacing: original) {
      try original.copy(to: staging.path)
      return RebuildReport(transactions: try replay(into: staging))
    }
  }

  /// What is not replicated, and the bookkeeping, stays as the copy has it.
  private func replay(into staging: Staging) throws -> Int {
    let connection = try Connection(path: staging.path, mode: .readWrite)
    defer { connection.close() }
    try staging.makeFast(connection)
    try connection.execute("PRAGMA foreign_keys = OFF")
    connection.setTriggers(firing: false)
    try ImportTriggers(connection).renew()
    let selection = try TableSelection(connection)
    let schema = try ReplicatedSchema(connection, selection: selection)
    for table in schema.tables {
      try connection.execute("DELETE FROM \(table.name.quotedIdentifier)")
    }
    let indexes = try DeferredIndexes(droppingFrom: connection)
    for table in ["conflict", "held", "claim"] {
      try connection.execute("DELETE FROM tributary_\(table)")
    }
    let batch = try MergeBatch(connection: connection, schema: schema, selection: selection)
    let replay = LogReplay(path: path, connection: connection, environment: environment)
    var merge = try ReplayMerge(replay, batch)
    var done = 0
    try connection.execute("BEGIN")
    try batch.start(milliseconds: environment.clock.milliseconds())
    let count = try replay.forEachTransaction { stream, head in
      try replay.lookingUp { try merge.add(stream, head) }
      done += 1
      if done % 1024 == 0 { progress?(Progress(stage: "replaying", done: done)) }
    }
    try replay.lookingUp { try merge.finish() }
    try connection.execute("COMMIT")
    progress?(Progress(stage: "indexing", done: done, total: done))
    try indexes.restore(in: connection)
    return count
  }
}
