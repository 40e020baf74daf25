import TributaryCore
import TributaryMerge
import TributarySQLite
import TributaryStore

/// Carries out `rebuild`.
struct Rebuilder {
  let path: String
  let environment: Environment
  let progress: ((Progress) -> Void)?

  /// Rows are applied when so many have come together.
  private static let rowsPerBatch = 50_000
  private static let bytesPerBatch = 32 << 20

  func rebuild() throws -> RebuildReport {
    guard try environment.fileSystem.status(path) != nil else {
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
    let staging = Staging(target: path, fileSystem: environment.fileSystem)
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
    let selection = try TableSelection(connection)
    let schema = try ReplicatedSchema(connection, selection: selection)
    for table in schema.tables {
      try connection.execute("DELETE FROM \(table.name.quotedIdentifier)")
    }
    let indexes = try DeferredIndexes(droppingFrom: connection)
    let batch = try MergeBatch(connection: connection, schema: schema, selection: selection)
    var mappings: [PeerIdentity: ShapeMappings] = [:]
    var done = 0
    try connection.execute("BEGIN")
    let count = try LogReplay(path: path, connection: connection, environment: environment)
      .forEachTransaction { stream, head in
        let stamp = Stamp(time: head.time, peer: stream.peer)
        batch.begin(stamp)
        while let change = try stream.nextChange() {
          if let mapping = try mappings[stream.peer, default: ShapeMappings()].mapping(
            change.shapeID, of: stream, in: batch)
          {
            try batch.add(change, mapping: mapping)
          }
          if batch.count >= Self.rowsPerBatch || batch.byteCount >= Self.bytesPerBatch {
            try batch.apply()
            batch.begin(stamp)
          }
        }
        done += 1
        if done % 1024 == 0 { progress?(Progress(stage: "replaying", done: done)) }
      }
    try batch.apply()
    try batch.finish(checkingForeignKeys: false)
    try connection.execute("COMMIT")
    progress?(Progress(stage: "indexing", done: done, total: done))
    try indexes.restore(in: connection)
    return count
  }
}
