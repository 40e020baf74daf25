import TributaryContainer
import TributaryCore
import TributaryStore

/// Makes a database a store that merges as the other devices do.
struct AgreedAttachment {
  let request: AttachRequest
  let environment: Environment
  let directory: ContentDirectory
  let listing: ContentListing

  /// - Returns: how many rows were adopted.
  /// - Throws: also where the devices would not agree; the database is then as it was.
  @discardableResult
  func perform(
    _ identity: StoreIdentity, selection: TableSelection, at path: String, migrates: Bool = false,
    adopts: Bool
  ) throws -> Int {
    let agreement = MergeAgreement(directory: directory, environment: environment)
    var attachment = Attachment(
      identity: identity, selection: selection, migrations: request.migrations,
      merge: request.merge ?? MergeOptions())
    attachment.inheritedMerge = try agreement.declared(in: listing, except: identity.peer)
    return try attachment.perform(at: path, migrates: migrates, adopts: adopts) {
      try agreement.check($0, in: listing, own: identity.peer)
    }
  }
}
