import TributaryMerge
import TributarySQLite
import TributaryStore

/// Merges all transactions of a store into empty tables.
struct FullReplay {
  let replay: LogReplay
  /// The database with the tables and their bookkeeping.
  let target: Connection
  let schema: ReplicatedSchema
  let selection: TableSelection
  let progress: ((Progress) -> Void)?

  /// Merges the transactions.
  ///
  /// - Returns: the number of transactions.
  /// - Throws: what the replay throws.
  func run() throws -> Int {
    let settled = try replay.settled()
    if let settled { try replay.lookingUp { try settled.fill(target, selection) } }
    while true {
      if let count = try attempt(after: settled) { return count }
    }
  }

  /// Merges the transactions once.
  ///
  /// - Returns: `nil` if rows have met unexpectedly under one number: they have been recorded, and
  ///   the merge must be repeated.
  private func attempt(after settled: SettledRows?) throws -> Int? {
    let batch = try MergeBatch(connection: target, schema: schema, selection: selection)
    var merge = try ReplayMerge(replay, batch, after: settled)
    var done = 0
    try target.execute("BEGIN")
    do {
      try batch.start(milliseconds: replay.environment.clock.milliseconds())
      let count = try replay.forEachTransaction(after: settled) { stream, head in
        try replay.lookingUp { try merge.add(stream, head) }
        done += 1
        if done % 1024 == 0 { progress?(Progress(stage: "replaying", done: done)) }
      }
      try replay.lookingUp { try merge.finish() }
      try target.execute("COMMIT")
      return count
    } catch let accident as ReplayMerge.Accident {
      target.rollBack()
      try NumberingTable(target, schema: schema).insert(accident.numberings)
      return nil
    } catch {
      target.rollBack()
      throw error
    }
  }
}
