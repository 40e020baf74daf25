import TributaryContainer
import TributaryCore
import TributarySQLite
import TributaryStore

/// Makes a database a store that merges as the other devices do.
struct AgreedAttachment {
  let request: AttachRequest
  /// The manifests of the peers; `nil` if there are no peers to ask.
  let manifests: PeerManifests?
  /// Whether the container has nothing of other devices.
  var isAlone = false
  /// Whether the tables are those of the other devices rather than the database's own.
  var isBlank = false
  var progress: ((Progress) throws -> Void)?

  /// Attaches the database.
  ///
  /// - Returns: the number of adopted rows.
  /// - Throws: also if the devices would not agree. The database is unchanged then.
  @discardableResult
  func perform(
    _ identity: StoreIdentity, selection: TableSelection, at path: String, durably: Bool = true,
    migrates: Bool = false, adopts: Bool
  ) throws -> Int {
    try attachment(identity, selection, adopts: adopts).perform(
      at: path, durably: durably, migrates: migrates, adopts: adopts
    ) { try disagreements($0, identity) }
  }

  /// Examines a database as `perform` does before it changes anything.
  ///
  /// - Parameter path: the user's name for the database.
  func examine(
    _ connection: Connection, _ identity: StoreIdentity, selection: TableSelection, path: String,
    adopts: Bool
  ) throws -> AttachExamination {
    try attachment(identity, selection, adopts: adopts).examine(
      connection, path: path, adopts: adopts
    ) { try disagreements($0, identity) }
  }

  private func attachment(
    _ identity: StoreIdentity, _ selection: TableSelection, adopts: Bool
  ) throws -> Attachment {
    var attachment = Attachment(
      identity: identity, selection: selection, migrations: request.migrations,
      merge: request.merge ?? MergeOptions())
    // If logs are imported first, the triggers are created afterwards, and what others add to the schema is
    // taken then too.
    attachment.capture = adopts ? request.captureWhenNew : .hook
    attachment.follows = adopts && request.followsWhenNew
    if let manifests {
      attachment.inheritedMerge = try MergeAgreement(manifests: manifests)
        .declared(except: identity.peer)
    }
    attachment.isAlone = isAlone
    attachment.work = request.work(progress)
    attachment.copyOnce = request.copyOnce ?? []
    attachment.shareContents = request.shareContents
    attachment.inheritedCopies =
      manifests.flatMap { SharedSchema(manifests: $0).newest(except: identity.peer) }?.copies ?? []
    return attachment
  }

  private func disagreements(
    _ schema: ReplicatedSchema, _ identity: StoreIdentity
  ) throws -> [AttachRefusal] {
    guard let manifests else { return [] }
    let extensions = Connection.companions(ofDatabase: request.store)
    let agreement = MergeAgreement(
      manifests: manifests, extensions: extensions, isAttaching: true)
    let disagreements = try agreement.disagreements(schema, own: identity.peer)
      .map { AttachRefusal($0) }
    // Tables that were created from the schemas of the other devices have the others' keys.
    let keys =
      isBlank && request.migrations.isEmpty
      ? []
      : try KeyAgreement(manifests: manifests, extensions: extensions)
        .refusals(of: schema, own: identity.peer, path: request.store)
    if isBlank { return disagreements + keys }
    let twofold = try TwofoldNames(manifests: manifests, isAttaching: true)
      .findings(in: schema, own: identity.peer).map { found in
        AttachRefusal(
          SyncError(
            .contradiction, found.message, path: request.store, remedy: found.remedy))
      }
    return disagreements + twofold + keys
  }
}
