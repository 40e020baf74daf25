import Testing
import TributaryCore
import TributaryLog
import TributaryStore

struct ChangeOrderTests {
  private static func order(
    _ time: UInt64, _ operation: ChangeOperation, _ place: Int32, peer: UInt64 = 1
  ) -> ChangeOrder {
    ChangeOrder(
      stamp: Stamp(
        time: HybridTime(rawValue: time), peer: PeerIdentity(high: 0, low: peer)),
      operation: operation, place: place)
  }

  @Test func `changes apply by stamp, and those of one transaction as it has them, inserts last`() {
    let ordered = [
      Self.order(1, .insert, 9),
      Self.order(2, .update, 2), Self.order(2, .delete, 4), Self.order(2, .update, 5),
      Self.order(2, .insert, 1), Self.order(2, .replace, 3), Self.order(2, .insert, 6),
      Self.order(2, .delete, 1, peer: 2), Self.order(3, .update, 1),
    ]
    for _ in 0..<20 { #expect(ordered.shuffled().sorted() == ordered) }
  }
}
