import TributaryCore
import TributaryMerge
import TributarySQLite
import TributaryStore

/// Merges a store's own transactions, which its tables do not show yet, with what it has imported.
struct JoiningMerge {
  let replay: LogReplay

  private var connection: Connection { replay.connection }

  /// Merges the transactions.
  ///
  /// - Throws: `SyncError` with the code `logsMissing`, `MergeError`.
  func run() throws {
    while try !attempt() {}
    // All transactions have been examined.
    let last = try Outbox(connection).last()?.sequence ?? .zero
    try Settings(connection).set(.examined, .integer(Int64(last.rawValue)))
  }

  /// Merges the transactions once.
  ///
  /// - Returns: `false` if rows have unexpectedly met under one number. They have been recorded, and the
  ///   merge must be repeated.
  private func attempt() throws -> Bool {
    let selection = try TableSelection(connection)
    let schema = try ReplicatedSchema(connection, selection: selection)
    let batch = try MergeBatch(connection: connection, schema: schema, selection: selection)
    try ImportTriggers(connection).renew()
    var merge = try ReplayMerge(
      replay, batch, known: KnowledgeTable(connection).peers())
    try connection.execute("BEGIN")
    do {
      try batch.start(milliseconds: replay.environment.clock.milliseconds())
      let stream = try OutboxStream(
        peer: Settings(connection).identity().peer, connection: connection)
      while let head = stream.head {
        try replay.lookingUp { try merge.add(stream, head) }
        try stream.advance()
      }
      try replay.lookingUp { try merge.finish() }
      try connection.execute("COMMIT")
      return true
    } catch let accident as ReplayMerge.Accident {
      connection.rollBack()
      try NumberingTable(connection, schema: schema).insert(accident.numberings)
      return false
    } catch {
      connection.rollBack()
      throw error
    }
  }
}
