import TributaryContainer
import TributaryCore

/// Whether the devices declare the same way of merging tables.
struct AgreementExamination: Examination {
  let store: StoreSubject
  let content: ContentSubject
  let own: PeerIdentity

  let subject = "how tables merge"

  func examine(_ findings: inout [Finding]) throws {
    do {
      try MergeAgreement(
        manifests: content.peerManifests, extensions: store.connection.extensions
      ).check(store.schema(), own: own)
    } catch let error as SyncError where error.code == .mergeDisagreement {
      findings.append(
        Finding(
          .disagreement, .warning, peer: content.owner(of: error.path + "/log"), path: error.path,
          "\(error.message): nothing is imported", remedy: error.remedy))
    }
  }
}
