import Testing
import TributaryCore
import TributaryFuzzing
import TributaryLog

/// Segments with a horizon, whose payload names peers by their position in the header.
struct PeerPositionTests {
  private static let listed = PeerIdentity(high: 0x500, low: 1)
  private static let other = PeerIdentity(high: 0x400, low: 1)
  private static let another = PeerIdentity(high: 0x600, low: 1)

  /// Returns what is wrong with a segment of two transactions, the second of which has these vectors. The first knows
  /// nothing above the horizon; the header lists one peer.
  private func problem(knowledge: [UInt8], basis: [UInt8]? = nil) throws -> LogError? {
    var header = HostileSegment.header(
      knowledge: Knowledge([.init(peer: Self.listed, sequence: .init(1))]))
    header.horizon = SegmentHorizon(declaration: 1, latestTime: .zero)
    var changes: [UInt8] = [7, 0, 3, 2, 20] + HostileTests.time + [1] + knowledge
    changes += basis.map { [1] + $0 } ?? [0]
    return TributaryLogTests.problem(
      try HostileSegment.segment(changes: changes, count: 0, header: header))
  }

  private let ofWriter = "the knowledge of \(listed) does not rise"

  /// What a position behind that of the author stands before.
  private func written(_ peer: PeerIdentity) -> [UInt8] { [2] + peer.bytes + [1] }

  @Test func `a peer of the header, the author and others have their positions`() throws {
    // The writer adds a transaction 2 of its own, which repeats what is known: nothing before it is wrong.
    let good: [(knowledge: [UInt8], basis: [UInt8]?)] = [
      ([1, 0, 1], nil), ([1, 0, 1], [0]), ([1, 0, 1], [2, 0, 1, 1, 1]), ([1, 0, 1], [1, 1, 1]),
      ([1, 0, 1], [3, 1, 1] + written(Self.other) + written(Self.another)),
    ]
    for (knowledge, basis) in good {
      let error = try problem(knowledge: knowledge, basis: basis)
      let isOfWriter = error?.description.contains(ofWriter)
      #expect(
        isOfWriter == true,
        "\(String(describing: error)) \(knowledge) \(basis ?? []): \(error.debugDescription)")
    }
  }

  @Test func `positions that are out of range, out of order or not needed are malformed`() throws {
    let bad: [(knowledge: [UInt8], basis: [UInt8]?)] = [
      ([1, 3, 1], nil), ([1] + HostileTests.huge + [1], nil), ([1, 1, 1], nil), ([0], nil),
      ([1, 0, 2], nil), ([1, 0, 0], nil), ([2, 0, 1, 0, 1], nil), ([1] + written(Self.other), nil),
      ([1, 0, 1], [2, 1, 1, 0, 1]), ([1, 0, 1], [2, 1, 1, 1, 1]), ([1, 0, 1], [1, 3, 1]),
      ([1, 0, 1], [1] + written(Self.listed)), ([1, 0, 1], [1] + written(HostileSegment.peer)),
      ([1, 0, 1], [2] + written(Self.another) + written(Self.other)),
      ([1, 0, 1], [2] + written(Self.other) + written(Self.other)),
      ([1, 0, 1], [2] + written(Self.other) + [1, 1]),
    ]
    for (knowledge, basis) in bad {
      let error = try problem(knowledge: knowledge, basis: basis)
      #expect(error?.code == .malformed, "\(knowledge) \(basis ?? [])")
      let isOfWriter = error?.description.contains(ofWriter)
      #expect(isOfWriter == false, "\(knowledge) \(basis ?? [])")
    }
  }
}
