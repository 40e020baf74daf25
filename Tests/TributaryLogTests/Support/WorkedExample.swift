import TributaryCore
import TributaryFuzzing
import TributaryLog

extension SegmentModel {
  /// The segment that `Schemas/log-format.md` shows to the byte.
  static let workedExample: SegmentModel = {
    let peer = PeerIdentity(high: 0x3F8A_61C2_09D4_7E15, low: 0xB05C_E827_964F_1DA3)
    let other = PeerIdentity(high: 0x91E0_4D7B_C6A3_5F28, low: 0x0E72_BD18_F439_6A5C)
    let known = Knowledge([.init(peer: other, sequence: .init(12))])
    let first = HybridTime(milliseconds: 1_700_000_000_000, counter: 0)
    let last = HybridTime(milliseconds: 1_700_000_123_456, counter: 2)
    let header = SegmentHeader(
      peer: peer, first: .init(41), last: .init(42), firstTime: first, lastTime: last,
      contentName: "Library",
      knowledge: known)
    let shape = TableShape(
      table: "album", columns: ["id", "title", "year", "note"],
      keys: [.init(column: 0), .init(column: 1, collation: .nocase)])
    return SegmentModel(
      header: header, schemas: [1: "v1"], shapes: [3: shape],
      transactions: [
        Transaction(
          header: .init(sequence: .init(41), time: first, schema: 1, knowledge: known),
          changes: [.init(operation: .insert, shape: 3, values: [7, "Blue", 1971, Value.null])]),
        Transaction(
          header: .init(
            sequence: .init(42), time: last, schema: 1, knowledge: known,
            basis: Knowledge([.init(peer: peer, sequence: .init(40))])),
          changes: [
            .init(operation: .update, shape: 3, values: [-300, "Hejira", nil, 0.5]),
            .init(operation: .delete, shape: 3, values: [1, "Court"]),
          ]),
      ])
  }()
}
