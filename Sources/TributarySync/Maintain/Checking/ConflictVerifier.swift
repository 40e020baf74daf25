import TributaryCore
import TributarySQLite
import TributaryStore

/// Compares the conflicts of a store with those that its logs produce when they are merged again in a scratch
/// database.
struct ConflictVerifier {
  let replay: LogReplay
  /// The store, which is only read.
  let store: Connection
  let schema: ReplicatedSchema
  let selection: TableSelection
  let progress: ((Progress) throws -> Void)?

  /// Returns the differences.
  ///
  /// - Returns: `nil` while some own transactions have not been examined for conflicts.
  func differences() throws -> [VerifyReport.Difference]? {
    guard try !OwnExamination.isPending(in: store) else { return nil }
    let scratch = try makeScratch()
    defer { scratch.close() }
    _ = try FullReplay(
      replay: replay, target: scratch, schema: ReplicatedSchema(scratch, selection: selection),
      selection: selection, progress: progress
    ).run()
    let stored = try conflicts(store)
    let expected = try conflicts(scratch)
    var differences: [VerifyReport.Difference] = []
    for id in Set(stored.keys).union(expected.keys).sorted() {
      guard stored[id] != expected[id], let conflict = expected[id] ?? stored[id] else { continue }
      let state: VerifyReport.Difference.ConflictState =
        if stored[id] == nil { .missing } else if expected[id] == nil { .unfounded } else { .other }
      differences.append(
        VerifyReport.Difference(
          table: conflict.table, key: conflict.key, conflict: (id: id, state: state)))
    }
    return differences
  }

  private func conflicts(_ connection: Connection) throws -> [Conflict.ID: Conflict] {
    Dictionary(
      try ConflictTable(connection).conflicts().map { ($0.id, $0) }, uniquingKeysWith: { $1 })
  }

  /// Creates empty tables of the store, with their keys and constraints, in a temporary file that is removed
  /// automatically.
  private func makeScratch() throws -> Connection {
    let scratch = try Connection(path: "", mode: .create, extensions: store.extensions)
    scratch.setTriggers(firing: false)
    try scratch.execute(
      "PRAGMA foreign_keys = OFF; PRAGMA synchronous = OFF; PRAGMA journal_mode = MEMORY")
    for table in schema.tables {
      try scratch.execute(table.sql)
      let indexes = try store.prepare(
        "SELECT sql FROM sqlite_schema WHERE type = 'index' AND tbl_name = ? AND sql IS NOT NULL")
      try indexes.bind([.string(table.name)])
      while try indexes.step() { try scratch.execute(indexes.string(0)) }
    }
    try BookkeepingSchema.make(in: scratch)
    for table in ["tributary_store", "tributary_table", "tributary_merge"] {
      let rows = try store.prepare("SELECT * FROM \(table)")
      let marks = Array(repeating: "?", count: rows.columnCount).joined(separator: ", ")
      let insertion = try scratch.prepare("INSERT INTO \(table) VALUES (\(marks))")
      while try rows.step() {
        try insertion.bind(rows.values)
        try insertion.run()
      }
    }
    return scratch
  }
}
