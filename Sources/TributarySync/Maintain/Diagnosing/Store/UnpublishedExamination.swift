import TributaryCore
import TributaryFiles
import TributaryStore

/// Own transactions that are in no segment yet.
struct UnpublishedExamination: Examination {
  let store: StoreSubject

  let subject = "what is unpublished"

  func examine(_ findings: inout [Finding]) throws {
    let last = try store.last()
    let published = try SegmentTable(store.connection).last()
    guard last > published else { return }
    let first = try Outbox(store.connection).records(from: published.next, to: published.next).first
    let since =
      first.map {
        $0.time == .zero
          ? "" : ", the first of \(Timestamp.text(milliseconds: $0.time.milliseconds))"
      }
      ?? ""
    findings.append(
      Finding(
        .unpublished, .note, path: store.path,
        "this store has not published \(PeerText.transactions(last.rawValue - published.rawValue)) yet\(since)",
        remedy: Remedy.sync))
  }
}
