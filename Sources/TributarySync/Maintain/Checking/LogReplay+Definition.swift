import TributaryCore
import TributaryLog
import TributaryMerge
import TributarySQLite
import TributaryStore

extension LogReplay {
  /// Replays the logs by the definition of the merge, in a scratch database.
  ///
  /// - Parameters:
  ///   - recordsAuthors: whether the definition records who wrote each cell.
  ///   - tables: the tables whose changes are applied; `nil` for all.
  ///   - isWanted: the rows whose changes are applied, by table and key.
  ///   - progress: called every 1,024 transactions.
  /// - Returns: the definition, the number of transactions, and the time of each peer's last one.
  /// - Throws: `SyncError` with the code `logsMissing` if the container lacks some logs.
  /// - Complexity: O(changes in the logs)
  func definition(
    selection: TableSelection, recordsAuthors: Bool = false, tables: Set<SQLName>? = nil,
    isWanted: (TableDescription, [Value]) -> Bool = { _, _ in true },
    progress: ((Progress) throws -> Void)? = nil
  ) throws -> (definition: MergeDefinition, count: Int, last: [PeerIdentity: HybridTime]) {
    let definition = try MergeDefinition(
      of: connection, selection: selection, recordsAuthors: recordsAuthors)
    let names = try NameChanges(connection)
    let tables = tables.map { $0.reduce(into: Set()) { $0.formUnion(names.names(of: $1)) } }
    var last = try settled()?.declaration.times ?? [:]
    var done = 0
    let count = try forEachTransaction { stream, head in
      definition.begin(BatchTransaction(head, of: stream.peer, schema: stream.schema))
      while let change = try stream.nextChange() {
        let shape = stream.shape(change.shapeID)
        if let tables, !tables.contains(SQLName(shape.table)) { continue }
        try definition.apply(change, shape: shape, isWanted: isWanted)
      }
      last[stream.peer] = head.time
      done += 1
      if done % 1024 == 0 { try progress?(Progress(stage: "replaying", done: done)) }
    }
    return (definition, count, last)
  }
}
