import TributaryCore

/// The schema of a peer's database, from which a missing database can be built without the
/// application.
package struct ManifestSchema: Codable, Hashable, Sendable {
  /// The name of the schema in transactions.
  package var id: String
  /// The replicated tables, in ascending order.
  package var tables: [String]
  /// The statements that create everything, in order of creation.
  package var sql: [String]
  /// The names of the migrations that have run, in order.
  package var migrations: [String]
  /// The digests of their texts, parallel to `migrations`: 16 hexadecimal digits, or an empty entry if the
  /// peer does not know the text. Empty if it knows none.
  package var texts: [String]
  /// When the peer itself last changed its tables, indexes, triggers or views, in milliseconds since 1970.
  /// What it has taken from another peer does not count. `nil` if it has changed nothing, or does not say.
  package var changed: UInt64?

  /// What migrations have renamed and dropped, on this device or others, in the order in which the peer has
  /// learned of it: `rename "t" to "u"`, `rename "t"."a" to "t"."b"`, `drop "t"`, `drop "t"."a"`.
  package var names: [String]
  /// The marks of the migrations whose rows the peer has written or imported. No peer writes these rows
  /// again.
  package var written: [String]

  /// How tables merge, by table, as far as it was declared.
  package var merge: [String: ManifestMerge]

  /// `keep` if foreign keys are not enforced, otherwise `nil`.
  package var foreignKeys: String?

  /// The application's `PRAGMA user_version`: the version of its tables.
  package var userVersion: Int32
  /// The application's `PRAGMA application_id`: whose file this is.
  package var applicationID: Int32

  /// The largest numbers used so far in tables that never reuse a number (AUTOINCREMENT), by table.
  package var spent: [String: Int64]

  /// The rows of tables that are not replicated, which new devices get once, by table.
  package var copied: [String: ManifestCopy]

  /// Makes a schema.
  package init(
    id: String, tables: [String], sql: [String], migrations: [String], names: [String] = [],
    written: [String] = [], merge: [String: ManifestMerge] = [:], userVersion: Int32 = 0,
    applicationID: Int32 = 0,
    spent: [String: Int64] = [:], foreignKeys: String? = nil,
    copied: [String: ManifestCopy] = [:], texts: [String] = [], changed: UInt64? = nil
  ) {
    self.texts = texts
    self.changed = changed
    self.names = names
    self.written = written
    self.foreignKeys = foreignKeys
    self.copied = copied
    self.id = id
    self.tables = tables
    self.sql = sql
    self.migrations = migrations
    self.merge = merge
    self.userVersion = userVersion
    self.applicationID = applicationID
    self.spent = spent
  }

  private enum CodingKeys: String, CodingKey {
    case id, tables, sql, migrations, names, written, merge, foreignKeys, userVersion, spent, copied
    case texts, changed
    case applicationID = "applicationId"
  }

  /// Reads the whole schema. Older files do not state how tables merge, nor any numbers, nor the texts of
  /// migrations or the time of a change.
  package init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    id = try values.decode(String.self, forKey: .id)
    tables = try values.decode([String].self, forKey: .tables)
    sql = try values.decode([String].self, forKey: .sql)
    migrations = try values.decode([String].self, forKey: .migrations)
    names = try values.decodeIfPresent([String].self, forKey: .names) ?? []
    written = try values.decodeIfPresent([String].self, forKey: .written) ?? []
    merge = try values.decodeIfPresent([String: ManifestMerge].self, forKey: .merge) ?? [:]
    foreignKeys = try values.decodeIfPresent(String.self, forKey: .foreignKeys)
    userVersion = try values.decodeIfPresent(Int32.self, forKey: .userVersion) ?? 0
    applicationID = try values.decodeIfPresent(Int32.self, forKey: .applicationID) ?? 0
    spent = try values.decodeIfPresent([String: Int64].self, forKey: .spent) ?? [:]
    copied = try values.decodeIfPresent([String: ManifestCopy].self, forKey: .copied) ?? [:]
    texts = try values.decodeIfPresent([String].self, forKey: .texts) ?? []
    changed = try values.decodeIfPresent(UInt64.self, forKey: .changed)
    guard changed ?? 0 <= HybridTime.maximumMilliseconds else {
      throw DecodingError.dataCorruptedError(
        forKey: .changed, in: values, debugDescription: "the time of a change is too large")
    }
  }

  /// Writes every key, except that numbers, texts and the time are written only if there are any.
  package func encode(to encoder: any Encoder) throws {
    var values = encoder.container(keyedBy: CodingKeys.self)
    try values.encode(id, forKey: .id)
    try values.encode(tables, forKey: .tables)
    try values.encode(sql, forKey: .sql)
    try values.encode(migrations, forKey: .migrations)
    if !names.isEmpty { try values.encode(names, forKey: .names) }
    if !written.isEmpty { try values.encode(written, forKey: .written) }
    try values.encode(merge, forKey: .merge)
    try values.encodeIfPresent(foreignKeys, forKey: .foreignKeys)
    if userVersion != 0 { try values.encode(userVersion, forKey: .userVersion) }
    if applicationID != 0 { try values.encode(applicationID, forKey: .applicationID) }
    if !spent.isEmpty { try values.encode(spent, forKey: .spent) }
    if !copied.isEmpty { try values.encode(copied, forKey: .copied) }
    if !texts.isEmpty { try values.encode(texts, forKey: .texts) }
    try values.encodeIfPresent(changed, forKey: .changed)
  }
}
