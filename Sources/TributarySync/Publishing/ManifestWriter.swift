import TributaryContainer
import TributaryCore
import TributaryFiles
import TributarySQLite
import TributaryStore

/// Keeps a store's `peer.json` up to date: its schema, and its receipt of what it has imported.
struct ManifestWriter {
  let identity: StoreIdentity
  let connection: Connection
  let environment: Environment
  let directory: ContentDirectory

  /// - Parameter isReceiptDurable: whether the present receipt has been published before.
  /// - Returns: whether the file was written; it is not when nothing has changed.
  @discardableResult
  func write(isReceiptDurable: Bool = false) throws -> Bool {
    let schema = try ReplicatedSchema(connection, selection: TableSelection(connection))
    return try PeerManifest(
      peer: identity.peer, name: identity.peerName, content: directory.name,
      sequence: SegmentTable(connection).last(),
      receipt: KnowledgeTable(connection).current(),
      schema: ManifestSchema(
        id: schema.name, tables: schema.tables.filter { $0.refusal == nil }.map(\.name).sorted(),
        sql: ReplicatedSchema.statements(connection),
        migrations: Migration.applied(in: connection).map(\.name),
        merge: MergeOptions(connection).manifest)
    ).publish(in: directory, using: environment.fileSystem) { () throws(FileError) in
      // Nobody may count on an import that a power cut could still take back.
      guard !isReceiptDurable else { return }
      try WriteAheadLog(of: connection.filePath).synchronize(using: environment.fileSystem)
    }
  }
}
