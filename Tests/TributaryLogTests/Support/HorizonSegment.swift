import TributaryCore
import TributaryFuzzing
import TributaryHorizon
import TributaryLog

/// A segment that is written above a horizon, and what its transactions knew.
struct HorizonSegment {
  static let author = PeerIdentity(high: 0xA, low: 0xB)

  static func peer(_ number: UInt64) -> PeerIdentity { PeerIdentity(high: 0x100 + number, low: 7) }

  static func knowledge(_ entries: [(PeerIdentity, UInt64)]) -> Knowledge {
    Knowledge(entries.map { .init(peer: $0.0, sequence: SequenceNumber($0.1)) })
  }

  /// Three peers and the author.
  static let declaration = Declaration(
    weight: 3, members: [author, peer(1)],
    entries: [
      .init(peer: author, sequence: .init(4), time: .init(rawValue: 30)),
      .init(peer: peer(1), sequence: .init(5), time: .init(rawValue: 40)),
      .init(peer: peer(2), sequence: .init(6), time: .init(rawValue: 35)),
      .init(peer: peer(3), sequence: .init(7), time: .init(rawValue: 20)),
    ])

  /// With all that its transactions knew: one knows the horizon and nothing more, one a peer that it lacks, the last
  /// more of a peer that it has, by versions before.
  static let whole: SegmentModel = {
    let horizon = declaration.horizon
    var known = horizon
    known[author] = .zero
    var second = known
    second[peer(9)] = .init(1)
    var third = second
    third[peer(2)] = .init(8)
    var basis = horizon
    basis[author] = .init(6)
    basis[peer(2)] = .init(7)
    let all = [(known, nil), (second, horizon), (third, basis)] as [(Knowledge, Knowledge?)]
    let transactions = all.enumerated().map { index, knew in
      SegmentModel.Transaction(
        header: TransactionHeader(
          sequence: .init(6 + UInt64(index)), time: .init(rawValue: 50 + UInt64(index)), schema: 1,
          knowledge: knew.0, basis: knew.1),
        changes: [
          .init(
            operation: .insert, shape: 1, values: [.integer(Int64(index)), .string("row \(index)")])
        ])
    }
    let header = SegmentHeader(
      peer: author, first: .init(6), last: .init(8), firstTime: .init(rawValue: 50),
      lastTime: .init(rawValue: 52), contentName: "Library",
      knowledge: knowledge([(peer(2), 8), (peer(9), 1)]),
      horizon: SegmentHorizon(
        declaration: declaration.identifier, latestTime: .init(rawValue: 40)))
    return SegmentModel(
      header: header, schemas: [1: "v1"],
      shapes: [1: TableShape(table: "t", columns: ["id", "v"], keys: [.init(column: 0)])],
      transactions: transactions)
  }()

  /// With what is above the horizon.
  static let above: SegmentModel = {
    var model = whole
    for index in model.transactions.indices {
      let header = model.transactions[index].header
      var base = declaration.horizon
      base[author] = .zero
      model.transactions[index].header.knowledge = Knowledge(header.knowledge.exceeding(base))
      model.transactions[index].header.basis = header.basis.map {
        Knowledge($0.exceeding(declaration.horizon))
      }
    }
    return model
  }()

  static func written() throws -> [UInt8] {
    try whole.written(above: declaration.horizon).bytes
  }
}
