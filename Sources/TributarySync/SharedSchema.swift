import TributaryContainer
import TributaryCore
import TributaryFiles

/// The schema that a container carries, in the files of its peers.
struct SharedSchema {
  private let directory: ContentDirectory
  private let environment: Environment

  init(_ directory: ContentDirectory, _ environment: Environment) {
    self.directory = directory
    self.environment = environment
  }

  /// The schema of the peer with the most migrations, then the most tables, then the largest text;
  /// among equals that of the first peer. Files that cannot be read are passed over.
  func newest(in listing: ContentListing, except own: PeerIdentity?) -> ManifestSchema? {
    var best: ManifestSchema?
    for peer in listing.peers where peer.peer != own && peer.hasManifest {
      let manifest: PeerManifest?
      do {
        manifest = try PeerManifest.read(
          of: peer.peer, in: directory, using: environment.fileSystem)
      } catch {
        continue
      }
      guard let schema = manifest?.schema, !schema.sql.isEmpty else { continue }
      if best == nil || rank(schema) > rank(best.unsafelyUnwrapped) { best = schema }
    }
    return best
  }

  private func rank(_ schema: ManifestSchema) -> (Int, Int, Int) {
    (schema.migrations.count, schema.tables.count, schema.sql.reduce(0) { $0 + $1.utf8.count })
  }
}
