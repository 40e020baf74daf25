import TributaryContainer
import TributaryCore
import TributarySQLite
import TributaryStore

/// Whether the store's records of its published segments are consistent.
struct SegmentTableExamination: Examination {
  let store: StoreSubject

  let subject = "what the store knows of its segments"

  func examine(_ findings: inout [Finding]) throws {
    let last = try store.last()
    let statement = try store.connection.prepare(
      "SELECT first, last, name FROM tributary_segment ORDER BY first")
    var end = SequenceNumber.zero
    while try statement.step() {
      let text = statement.string(2)
      guard let name = SegmentName(text),
        name.first.rawValue == UInt64(clamping: statement.integer(0)),
        name.last.rawValue == UInt64(clamping: statement.integer(1))
      else {
        findings.append(
          store.damage(
            .bookkeeping, "a row of tributary_segment contradicts itself: \(text.debugDescription)")
        )
        continue
      }
      if name.first > end.next {
        findings.append(
          store.damage(
            .bookkeeping,
            "tributary_segment has no segment with \(PeerText.transactions(end.next...SequenceNumber(name.first.rawValue - 1)))"
          ))
      }
      end = max(end, name.last)
    }
    if end > last {
      findings.append(
        store.damage(
          .bookkeeping,
          "tributary_segment has segments up to transaction \(end), and tributary_outbox ends with \(last)"
        ))
    }
  }
}
