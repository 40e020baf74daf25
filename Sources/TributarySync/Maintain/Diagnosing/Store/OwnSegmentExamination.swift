import TributaryContainer
import TributaryCore
import TributaryFiles

/// Whether the segments that the store has published still exist.
struct OwnSegmentExamination: Examination {
  let store: StoreSubject
  let content: ContentSubject
  let own: PeerIdentity

  let subject = "the store's own segments"

  func examine(_ findings: inout [Finding]) throws {
    let segments = SegmentStore(
      content.directory, peer: own, using: content.environment.fileSystem)
    var lost: [SegmentName] = []
    for segment in try SegmentTable(store.connection).all()
    where try segments.status(of: segment.name) == nil { lost.append(segment.name) }
    guard let first = lost.first else { return }
    let others = lost.count == 1 ? "" : " and \(lost.count - 1) more"
    findings.append(
      Finding(
        .ownSegmentLost, .warning, peer: own, path: segments.path(of: first),
        "\(segments.path(of: first))\(others) should be there: this store has published them, and they are gone",
        remedy: "run `tributary sync`, which publishes again what is missing"))
  }
}
