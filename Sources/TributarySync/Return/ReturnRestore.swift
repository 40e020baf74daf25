import TributaryContainer
import TributaryCore
import TributaryHorizon
import TributarySQLite
import TributaryStore

/// Gives a copy of a store the contents of a baseline, in place of its tables and bookkeeping.
struct ReturnRestore {
  let baselines: BaselineStore
  let name: BaselineName
  let staging: Staging
  /// The copy.
  let connection: Connection
  let selection: TableSelection
  let environment: StoreEnvironment
  let progress: ((Progress) throws -> Void)?

  /// Reads the baseline to the end.
  ///
  /// - Parameter finish: called in the transaction that fills the tables.
  /// - Throws: `ContainerError` for a damaged file, `BaselineImage.Unfit` for one with other tables or an
  ///   unusable database.
  func run(finish: () throws -> Void) throws {
    let image = LocalFile(staging.target + "-tributary-return")
    try progress?(Progress(stage: "reading a baseline", done: 0))
    let file = try image.write()
    try baselines.read(name) { try file.write($0) }
    for table in try ReplicatedSchema(connection, selection: selection).tables
    where table.refusal == nil {
      try connection.execute("DELETE FROM main.\(table.name.quotedIdentifier)")
    }
    try connection.execute(
      """
      DELETE FROM tributary_conflict WHERE ended = 0; DELETE FROM tributary_held;
      DELETE FROM tributary_claim; DELETE FROM tributary_birth; DELETE FROM tributary_refusal
      """)
    let indexes = try DeferredIndexes(droppingFrom: connection)
    let broken: BrokenRows
    do {
      broken = try BaselineImage.read(
        image.path, into: connection, selection, isOnlySource: true
      ) { facts in
        try BaselineFacts.write(facts, to: connection)
        try finish()
      }
    } catch let error as SQLiteError where error.isUniqueViolation {
      throw BaselineImage.Unfit(
        "a UNIQUE key of this store does not allow its rows: \(error.message)", breaksKey: true)
    } catch let error as SQLiteError where error.isOfContents {
      throw BaselineImage.Unfit("its database is unusable: \(error.message)")
    }
    try indexes.restore(in: connection)
    try broken.hold(in: connection, milliseconds: environment.clock.milliseconds())
  }
}
