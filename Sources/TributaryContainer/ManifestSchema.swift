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

  /// How tables merge, by table, as far as it was declared.
  public var merge: [String: ManifestMerge]

  /// Makes a schema.
  public init(
    id: String, tables: [String], sql: [String], migrations: [String],
    merge: [String: ManifestMerge] = [:]
  ) {
    self.id = id
    self.tables = tables
    self.sql = sql
    self.migrations = migrations
    self.merge = merge
  }

  /// Reads all of it; older files do not say how tables merge.
  public init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    id = try values.decode(String.self, forKey: .id)
    tables = try values.decode([String].self, forKey: .tables)
    sql = try values.decode([String].self, forKey: .sql)
    migrations = try values.decode([String].self, forKey: .migrations)
    merge = try values.decodeIfPresent([String: ManifestMerge].self, forKey: .merge) ?? [:]
  }
}
