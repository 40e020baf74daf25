import TributaryContainer
import TributaryCore
import TributarySQLite
import TributaryStore

/// Keeps a store's `peer.json` up to date: its schema, and its receipt of what it has imported.
struct ManifestWriter {
  let identity: StoreIdentity
  let connection: Connection
  let environment: Environment
  let directory: ContentDirectory

  /// - Returns: whether the file was written; it is not when nothing has changed.
  @discardableResult
  func write() throws -> Bool {
    let schema = try ReplicatedSchema(connection, selection: TableSelection(connection))
    let knowledge = KnowledgeTable(connection)
    let former = try FormerIdentities(connection).all().map {
      ($0.peer, ManifestFormer(last: $0.last, reissued: $0.reissued))
    }
    return try PeerManifest(
      peer: identity.peer, name: identity.peerName, content: directory.name,
      sequence: SegmentTable(connection).last(), receipt: knowledge.current(),
      times: Dictionary(uniqueKeysWithValues: knowledge.peers().map { ($0.peer, $0.time) }),
      former: Dictionary(uniqueKeysWithValues: former),
      schema: ManifestSchema(
        id: schema.name, tables: schema.tables.filter { $0.refusal == nil }.map(\.name).sorted(),
        sql: ReplicatedSchema.statements(connection),
        migrations: Migration.applied(in: connection).map(\.name),
        merge: MergeOptions(connection).manifest)
    ).publish(in: directory, using: environment.fileSystem)
  }
}
