import TributaryContainer
import TributaryCore
import TributaryStore

/// Makes a database a store that merges as the other devices do.
struct AgreedAttachment {
  let request: AttachRequest
  let manifests: PeerManifests

  /// - Returns: how many rows were adopted.
  /// - Throws: also where the devices would not agree; the database is then as it was.
  @discardableResult
  func perform(
    _ identity: StoreIdentity, selection: TableSelection, at path: String, migrates: Bool = false,
    adopts: Bool
  ) throws -> Int {
    let agreement = MergeAgreement(manifests: manifests)
    var attachment = Attachment(
      identity: identity, selection: selection, migrations: request.migrations,
      merge: request.merge ?? MergeOptions())
    // Where logs are imported first, the triggers come afterwards.
    attachment.capture = adopts ? request.capture ?? .hook : .hook
    attachment.inheritedMerge = try agreement.declared(except: identity.peer)
    return try attachment.perform(at: path, migrates: migrates, adopts: adopts) {
      try agreement.check($0, own: identity.peer)
    }
  }
}
