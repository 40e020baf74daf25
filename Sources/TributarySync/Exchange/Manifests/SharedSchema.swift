import TributaryContainer
import TributaryCore
import TributaryStore

/// The schema in a container, from the files of its peers.
package struct SharedSchema {
  let manifests: PeerManifests

  /// Returns the newest schema; if several are equally new, that of the first peer.
  ///
  /// The newest schema has the most migrations; among equals, the largest `user_version`; then the most
  /// replicated tables and columns. Logs name columns for ever, so only a migration removes one, and a device
  /// that has more of them can read more logs. Next come schemas whose device is not gone, since the devices
  /// that remain must agree; then the one that its peer changed last, since indexes, triggers and views come
  /// and go. If no peer states a change, the largest text wins, and then a schema with an `application_id`.
  func newest(except own: PeerIdentity?) -> ManifestSchema? {
    let gone = manifests.all.goneIdentities
    return Self.newest(
      of: manifests.others(than: own).map { ($0.schema, isGone: gone.contains($0.peer)) })
  }

  /// Returns the newest of several schemas, given in the order of their peers.
  package static func newest(of schemas: [ManifestSchema]) -> ManifestSchema? {
    newest(of: schemas.map { ($0, isGone: false) })
  }

  private static func newest(
    of schemas: [(schema: ManifestSchema, isGone: Bool)]
  ) -> ManifestSchema? {
    var best: (schema: ManifestSchema, rank: Rank)?
    for (schema, isGone) in schemas where !schema.sql.isEmpty {
      if schema == best?.schema, best?.rank.isThere == true || isGone { continue }
      let rank = rank(schema, isGone: isGone)
      if best.map({ rank > $0.rank }) ?? true { best = (schema, rank) }
    }
    return best?.schema
  }

  /// Returns manifests, those with the newest schema first.
  static func ranked(_ manifests: [PeerManifest]) -> [PeerManifest] {
    let ranks = manifests.map { rank($0.schema) }
    let places = manifests.indices.sorted { a, b in
      ranks[a] == ranks[b] ? a < b : ranks[a] > ranks[b]
    }
    return places.map { manifests[$0] }
  }

  private static func rank(_ schema: ManifestSchema, isGone: Bool = false) -> Rank {
    Rank(
      migrations: schema.migrations.count, userVersion: schema.userVersion,
      columns: columnCount(of: schema), isThere: !isGone, changed: schema.changed ?? 0,
      bytes: schema.sql.reduce(0) { $0 + $1.utf8.count }, isMarked: schema.applicationID != 0)
  }

  /// Returns the number of the replicated tables and their columns.
  private static func columnCount(of schema: ManifestSchema) -> Int {
    let replicated = Set(schema.tables.map { SQLName($0) })
    return schema.sql.reduce(replicated.count) { count, sql in
      guard let object = SchemaObject(sql: sql), object.type == "table",
        replicated.contains(SQLName(object.name))
      else { return count }
      return count + (TableText(sql)?.columns.count ?? 0)
    }
  }

  private struct Rank: Comparable {
    var migrations: Int
    var userVersion: Int32
    var columns: Int
    /// Whether its device is not gone.
    var isThere: Bool
    /// In milliseconds since 1970; zero if the peer states no change.
    var changed: UInt64
    var bytes: Int
    var isMarked: Bool

    static func < (a: Self, b: Self) -> Bool {
      if a.migrations != b.migrations { return a.migrations < b.migrations }
      if a.userVersion != b.userVersion { return a.userVersion < b.userVersion }
      if a.columns != b.columns { return a.columns < b.columns }
      if a.isThere != b.isThere { return b.isThere }
      if a.changed != b.changed { return a.changed < b.changed }
      return (a.bytes, a.isMarked ? 1 : 0) < (b.bytes, b.isMarked ? 1 : 0)
    }
  }
}
