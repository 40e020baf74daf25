import TributaryContainer
import TributaryCore
import TributarySQLite
import TributaryStore

/// A peer's schema from its `peer.json`, with what this store may take from it.
struct SchemaOffer {
  let peer: PeerIdentity
  let schema: ManifestSchema
  let source: SchemaSource
  let manifests: PeerManifests

  /// Reads an offer.
  ///
  /// - Throws: `SyncError` for declarations that this version does not know.
  init(_ manifest: PeerManifest, among manifests: PeerManifests) throws {
    peer = manifest.peer
    schema = manifest.schema
    self.manifests = manifests
    source = try SchemaSource(
      manifest.schema, at: manifests.directory.manifest(of: manifest.peer))
  }

  /// Takes what the schema adds, within the open transaction.
  ///
  /// - Throws: `Untaken` if the devices would not agree afterwards. The caller then rolls back.
  func take(into connection: Connection, own: PeerIdentity) throws -> TakenSchema {
    let taking: SchemaTaking
    do {
      taking = try SchemaTaking(source, into: connection)
    } catch let error as StoreError {
      throw Untaken(reason: error.message)
    }
    let agreement = MergeAgreement(
      manifests: manifests, extensions: connection.extensions, side: "peer \(peer)")
    let tables = try ReplicatedSchema(connection, selection: TableSelection(connection))
    if let disagreement = try agreement.disagreements(tables, own: own).first {
      throw Untaken(reason: disagreement.message)
    }
    return TakenSchema(peer: peer, made: taking.made, left: taking.left)
  }

  /// Returns the objection to the schema: another peer has one of its columns with another default, so that
  /// not all devices can agree, whichever schema this store takes; `nil` if there is none.
  func disagreement(extensions: [String]) throws -> Refusal? {
    try MergeAgreement(manifests: manifests, extensions: extensions, side: "peer \(peer)")
      .defaultDisagreements(PeerTables(schema, extensions: extensions).schema, own: peer).first
      .map { Refusal($0.message, remedy: $0.remedy) }
  }

  /// The reason why a schema is not taken.
  struct Untaken: Error { let reason: String }
}

/// What a store that follows has taken from the schema of a peer.
public struct TakenSchema: Equatable, Sendable {
  /// The store whose schema was taken.
  public var peer: PeerIdentity
  /// What has been created, each as a phrase.
  public var made: [String]
  /// What was left to the application, and why, each as a phrase.
  public var left: [String]
}

extension SchemaSource {
  /// Reads the schema of a manifest.
  ///
  /// - Parameter path: the path of the manifest, for errors.
  init(_ schema: ManifestSchema, at path: String) throws {
    self.init(
      statements: schema.sql, replicated: Set(schema.tables.map { SQLName($0) }),
      merge: try MergeOptions(schema, at: path), copies: schema.copies,
      numbers: schema.numbers)
  }
}
