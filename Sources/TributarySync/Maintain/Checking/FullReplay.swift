import TributaryCore
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
  let progress: ((Progress) throws -> Void)?

  /// Merges the transactions.
  ///
  /// - Returns: the number of transactions.
  /// - Throws: what the replay throws.
  func run() throws -> Int {
    let settled = try replay.settled()
    if let settled { try replay.lookingUp { try settled.fill(target, selection) } }
    var numberings: [Numbering] = []
    while true {
      do {
        return try attempt(after: settled, adding: numberings)
      } catch let accident as ReplayMerge.Accident {
        if settled == nil {
          try NumberingTable(target, schema: schema).insert(accident.numberings)
        } else {
          // The rows that are already there have the numbers that they had without these numberings.
          numberings += accident.numberings
        }
      }
    }
  }

  /// Merges the transactions once.
  ///
  /// - Parameter numberings: the numberings that earlier attempts have found.
  /// - Throws: `ReplayMerge.Accident`. Nothing has changed then, and the merge must be repeated with these
  ///   numberings.
  private func attempt(
    after settled: SettledRows?, adding numberings: [Numbering]
  ) throws -> Int {
    let batch = try MergeBatch(connection: target, schema: schema, selection: selection)
    try batch.readNumberings(adding: numberings)
    var merge = try ReplayMerge(replay, batch, after: settled) {
      try NumberingTable(target, schema: schema).insert(numberings)
    }
    var done = 0
    try target.execute("BEGIN")
    do {
      try batch.start(milliseconds: replay.environment.clock.milliseconds())
      let count = try replay.forEachTransaction(after: settled) { stream, head in
        try replay.lookingUp { try merge.add(stream, head) }
        done += 1
        if done % 1024 == 0 { try progress?(Progress(stage: "replaying", done: done)) }
      }
      try replay.lookingUp { try merge.finish() }
      try target.execute("COMMIT")
      return count
    } catch {
      target.rollBack()
      throw error
    }
  }
}
