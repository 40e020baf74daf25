/// The schema of a peer's database, so that a missing one can be built without the application.
public struct ManifestSchema: Codable, Hashable, Sendable {
  /// Names the schema in transactions.
  public var id: String
  /// The replicated tables, in ascending order.
  public var tables: [String]
  /// The statements that create everything, in order of creation.
  public var sql: [String]
  /// The names of the migrations that have run, in order.
  public var migrations: [String]

  /// Makes a schema.
  public init(id: String, tables: [String], sql: [String], migrations: [String]) {
    self.id = id
    self.tables = tables
    self.sql = sql
    self.migrations = migrations
  }
}
