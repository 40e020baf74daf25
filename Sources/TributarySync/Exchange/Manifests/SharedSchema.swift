import TributaryContainer
import TributaryCore

/// The schema in a container, from the files of its peers.
package struct SharedSchema {
  let manifests: PeerManifests

  /// Returns the schema of the peer with the most migrations, then the largest `user_version`, then the most
  /// tables, then the largest text, then an `application_id`; among equals, that of the first peer.
  func newest(except own: PeerIdentity?) -> ManifestSchema? {
    Self.newest(of: manifests.others(than: own).map(\.schema))
  }

  /// Returns the newest of schemas, given in the order of their peers.
  package static func newest(of schemas: [ManifestSchema]) -> ManifestSchema? {
    var best: ManifestSchema?
    for schema in schemas where !schema.sql.isEmpty {
      if best == nil || rank(schema) > rank(best.unsafelyUnwrapped) { best = schema }
    }
    return best
  }

  /// Returns manifests, those with the newest schema first.
  static func ranked(_ manifests: [PeerManifest]) -> [PeerManifest] {
    manifests.enumerated().sorted { a, b in
      let (first, second) = (rank(a.element.schema), rank(b.element.schema))
      return first == second ? a.offset < b.offset : first > second
    }.map(\.element)
  }

  private static func rank(_ schema: ManifestSchema) -> (Int, Int32, Int, Int, Int) {
    (
      schema.migrations.count, schema.userVersion, schema.tables.count,
      schema.sql.reduce(0) { $0 + $1.utf8.count }, schema.applicationID == 0 ? 0 : 1
    )
  }
}
