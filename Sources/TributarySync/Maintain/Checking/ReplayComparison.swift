import TributaryCore
import TributaryMerge
import TributarySQLite
import TributaryStore

/// Compares the contents and conflicts of a store with what its logs yield by the definition of the merge.
struct ReplayComparison {
  let path: String
  /// The store, which is only read, within a snapshot.
  let connection: Connection
  let environment: StoreEnvironment
  let progress: ((Progress) throws -> Void)?

  /// Compares the store.
  ///
  /// - Complexity: O(all transactions and rows)
  /// - Throws: `SyncError` with the code `logsMissing` if the container lacks some.
  func run() throws -> VerifyReport {
    let selection = try TableSelection(connection)
    let schema = try ReplicatedSchema(connection, selection: selection)
    let replay = LogReplay(path: path, connection: connection, environment: environment)
    if schema.tables.contains(where: schema.names.areDropped(anyOf:)) {
      try replay.lookingUp { try replay.settled()?.checkWhole() }
    }
    let (definition, count, _) = try replay.definition(selection: selection, progress: progress)
    var report = VerifyReport(transactions: count, differenceCount: 0, differences: [])
    for table in schema.tables where table.refusal == nil {
      try progress?(Progress(stage: "comparing \(table.name)", done: count, total: count))
      try definition.compare(table) { difference in
        report.differenceCount += 1
        if report.differences.count < 10 { report.differences.append(difference) }
      }
    }
    let conflicts = try replay.lookingUp {
      try ConflictVerifier(
        replay: replay, store: connection, schema: schema, selection: selection,
        progress: progress
      ).differences()
    }
    report.comparesConflicts = conflicts != nil
    report.differenceCount += conflicts?.count ?? 0
    report.differences += conflicts?.prefix(10) ?? []
    let exchange = try Exchange(of: connection, environment)
    report.otherTypes = try TypeAgreement(
      manifests: exchange.manifests, extensions: connection.extensions
    ).findings(in: schema, own: exchange.own).map(\.refusal)
    return report
  }
}

extension MergeDefinition {
  fileprivate func compare(
    _ table: TableDescription, _ body: (VerifyReport.Difference) -> Void
  ) throws {
    try forEachDifference(table) { key, column, stored, expected in
      body(
        VerifyReport.Difference(
          table: table.name, key: key, column: column, stored: stored, expected: expected))
    }
  }
}
