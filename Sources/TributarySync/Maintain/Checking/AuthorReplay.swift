import TributaryCore
import TributaryMerge
import TributarySQLite
import TributaryStore

/// Replays the logs of a store by the definition of the merge, and records who wrote what.
package struct AuthorReplay {
  private let path: String
  private let environment: StoreEnvironment
  private let progress: ((Progress) throws -> Void)?

  /// Prepares the replay.
  ///
  /// - Parameter path: the store.
  package init(
    of path: String, environment: StoreEnvironment, progress: ((Progress) throws -> Void)? = nil
  ) {
    self.path = path
    self.environment = environment
    self.progress = progress
  }

  /// Passes on rows by table, in the order of the keys.
  ///
  /// - Parameter isWanted: selects rows, by table and key.
  /// - Throws: what replaying throws, including `SyncError` with the code `logsMissing`; what the body
  ///   throws.
  package func forEachRow(
    isWanted: (TableDescription, [Value]) -> Bool,
    _ body: (TableDescription, MergeDefinition.AuthoredRow) throws -> Void
  ) throws {
    let connection = try Connection(path: path, mode: .readWrite)
    defer { connection.close() }
    try connection.execute("PRAGMA query_only = ON")
    try connection.snapshot {
      let selection = try TableSelection(connection)
      let schema = try ReplicatedSchema(connection, selection: selection)
      let replay = LogReplay(path: path, connection: connection, environment: environment)
      let (definition, _, _) = try replay.definition(
        selection: selection, recordsAuthors: true, isWanted: isWanted, progress: progress)
      for table in schema.tables where table.refusal == nil {
        try definition.forEachRow(table) { try body(table, $0) }
      }
    }
  }
}
