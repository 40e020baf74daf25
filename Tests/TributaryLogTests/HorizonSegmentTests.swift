import Testing
import TributaryCore
import TributaryFuzzing
import TributaryHorizon
import TributaryLog

/// Segments whose knowledge is written above a horizon.
struct HorizonSegmentTests {
  private let horizon = HorizonSegment.declaration.horizon

  @Test(arguments: [1, 64, .max])
  func `with its horizon a segment has all that was known, without it what is above`(
    step: Int
  ) throws {
    let bytes = try HorizonSegment.written()
    #expect(
      try SegmentModel(reading: bytes, step: step, above: horizon) == HorizonSegment.whole)
    #expect(try SegmentModel(reading: bytes, step: step) == HorizonSegment.above)
    // Written from what is above, it is the same file.
    #expect(try HorizonSegment.above.written().bytes == bytes)
    #expect(try SegmentModel(reading: bytes).header.version == FormatVersion(major: 1, minor: 1))
  }

  @Test func `a reader says whether what was known is whole`() throws {
    let bytes = try HorizonSegment.written()
    var named: SegmentHorizon?
    let whole = try SegmentReader(source: MemorySource(bytes)) { found -> Knowledge? in
      named = found
      return horizon
    }
    let isWhole = whole.isResolved
    #expect(isWhole)
    #expect(named == HorizonSegment.whole.header.horizon)
    let above = try SegmentReader(source: MemorySource(bytes))
    let isAbove = !above.isResolved
    #expect(isAbove)
    let plain = try SegmentReader(
      source: MemorySource(try SegmentModel.workedExample.written().bytes)
    ) { _ in
      Issue.record("it names no declaration")
      return nil
    }
    let isPlain = plain.isResolved
    #expect(isPlain)
  }

  @Test(arguments: [true, false])
  func `every strict prefix is reported as truncated`(isKnown: Bool) throws {
    let bytes = try HorizonSegment.written()
    for count in bytes.indices {
      let error = #expect(throws: LogError.self) {
        try SegmentModel(reading: Array(bytes[..<count]), above: isKnown ? horizon : nil)
      }
      #expect(error?.code == .truncated, "\(count) bytes: \(String(describing: error))")
    }
  }

  @Test(arguments: [true, false])
  func `every flipped bit is detected`(isKnown: Bool) throws {
    let bytes = try HorizonSegment.written()
    for index in bytes.indices {
      for bit in 0..<8 {
        var flipped = bytes
        flipped[index] ^= 1 << bit
        #expect(throws: LogError.self, "bit \(bit) of byte \(index)") {
          try SegmentModel(reading: flipped, above: isKnown ? horizon : nil)
        }
      }
    }
  }

  @Test
  func `version 1 0 finds flags that it rejects by name, before anything else that is new`()
    throws
  {
    let content = try HorizonSegment.whole.header.encoded()
    #expect(Array(content[8..<16]) == [1, 0, 1, 0, 3, 0, 0, 0])
    var plain = HorizonSegment.whole.header
    plain.horizon = nil
    let bytes = try plain.encoded()
    #expect(Array(bytes[8..<16]) == [1, 0, 0, 0, 0, 0, 0, 0])
    #expect(content.count == bytes.count + 16)
    #expect(content[16..<bytes.count] == bytes[16...])
  }

  @Test func `a header that lies about its horizon is found out`() throws {
    let bytes = try HorizonSegment.written()
    func problem(_ change: (inout [UInt8]) -> Void) throws -> LogError.Code? {
      var content = try HorizonSegment.whole.header.encoded()
      change(&content)
      return TributaryLogTests.problem(HostileSegment.replacingHeader(of: bytes, with: content))?
        .code
    }
    #expect(try problem { _ in } == nil)
    #expect(try problem { $0[10] = 0 } == .malformed)
    #expect(try problem { $0[12] = 7 } == .newerFormat)
    #expect(try problem { $0[12] = 2 } == .malformed)
    // The payload names peers by their position.
    #expect(try problem { $0[12] = 1 } == .malformed)
    #expect(try problem { $0[12] = 0 } == .malformed)
    #expect(try problem { $0.removeLast() } == .malformed)
    #expect(try problem { $0.append(0) } == .malformed)
    // In a newer version, it may say more.
    #expect(
      try problem {
        $0[10] = 2
        $0.append(0)
      } == nil)
    // The latest time in the horizon is that of the first transaction, or later.
    #expect(try problem { $0[$0.count - 8] = 50 } == .malformed)
    #expect(try problem { $0[$0.count - 8] = 49 } == nil)
  }

  @Test func `what is listed and not above the horizon is malformed`() throws {
    let bytes = try HorizonSegment.written()
    let others: [Knowledge] = [
      // Of the second basis.
      HorizonSegment.knowledge([(HorizonSegment.peer(2), 7)]),
      HorizonSegment.knowledge([(HorizonSegment.author, 6)]),
      // Of the third transaction.
      HorizonSegment.knowledge([(HorizonSegment.peer(2), 8)]),
      HorizonSegment.knowledge([(HorizonSegment.peer(9), 1)]),
    ]
    for other in others {
      let error = #expect(throws: LogError.self) {
        try SegmentModel(reading: bytes, above: other)
      }
      #expect(error?.code == .malformed, "\(other)")
    }
  }

  @Test func `what does not know the horizon is not written above it`() throws {
    func error(_ change: (inout SegmentModel) -> Void) -> LogError.Code? {
      var model = HorizonSegment.whole
      change(&model)
      do {
        _ = try model.written(above: horizon)
        return nil
      } catch { return (error as? LogError)?.code }
    }
    #expect(error { _ in } == nil)
    let peer = HorizonSegment.peer(3)
    #expect(error { $0.transactions[0].header.knowledge[peer] = .init(6) } == .inconsistent)
    #expect(error { $0.transactions[2].header.basis?[peer] = .zero } == .inconsistent)
    #expect(
      error { $0.transactions[1].header.knowledge[.init(high: 0xA, low: 0xB)] = .init(1) }
        == .inconsistent)
    #expect(error { $0.header.knowledge[peer] = .init(7) } == .malformed)
    #expect(error { $0.header.horizon?.latestTime = .init(rawValue: 50) } == .malformed)
    #expect(error { $0.header.knowledge = Knowledge() } == .inconsistent)
  }

  @Test func `a horizon and what is above it have no more peers together than the limit`() throws {
    let large = Knowledge(
      (1...65535).map { .init(peer: .init(high: $0 << 20, low: 0), sequence: .init(1)) })
    func model(_ count: UInt64) -> SegmentModel {
      let listed = Knowledge(
        (1...count).map { .init(peer: .init(high: $0, low: 1), sequence: .init(1)) })
      var header = HostileSegment.header(last: 1, knowledge: listed)
      header.horizon = SegmentHorizon(declaration: 1, latestTime: .zero)
      return SegmentModel(
        header: header, schemas: [1: "v1"],
        transactions: [.init(header: HostileSegment.transaction(1, knowledge: listed), changes: [])]
      )
    }
    let fits = try SegmentModel(reading: try model(1).written().bytes, above: large)
    #expect(fits.transactions[0].header.knowledge.count == 65536)
    let error = #expect(throws: LogError.self) {
      try SegmentModel(reading: try model(2).written().bytes, above: large)
    }
    #expect(error?.code == .limitExceeded)
  }

  @Test(arguments: 0..<60 as Range<UInt64>)
  func `any transactions read above a horizon as they were written`(seed: UInt64) throws {
    let model = SegmentModel(
      seed: seed, transactionCount: 1 + Int(seed % 20), changesUpTo: Int(seed % 9))
    guard model.header.firstTime > .zero else { return }
    var relative = model
    relative.header.horizon = SegmentHorizon(
      declaration: seed, latestTime: .init(rawValue: model.header.firstTime.rawValue - 1))
    let bytes = try relative.written().bytes
    // The fuzzer's check makes up a horizon beneath, and compares both.
    try FuzzInput.run([FuzzMode.file.rawValue] + bytes)
    // Above no horizon at all, nothing but the header differs.
    #expect(try SegmentModel(reading: bytes).transactions == model.transactions)
    #expect(try SegmentModel(reading: bytes, above: Knowledge()).transactions == model.transactions)
  }

  @Test func `of a thousand peers, only those that have written since take room`() throws {
    let horizon = Knowledge(
      (1...1000).map { .init(peer: HorizonSegment.peer($0), sequence: .init($0)) })
    var known = horizon
    for number in 1...10 as ClosedRange<UInt64> {
      known[HorizonSegment.peer(number * 50)] = .init(number * 50 + 3)
    }
    func size(_ reference: SegmentHorizon?) throws -> Int {
      var header = HostileSegment.header(
        last: 1,
        knowledge: reference == nil ? known : Knowledge(known.exceeding(horizon)))
      header.horizon = reference
      let model = SegmentModel(
        header: header, schemas: [1: "v1"], shapes: [1: HostileSegment.shape],
        transactions: [
          .init(
            header: HostileSegment.transaction(1, knowledge: known),
            changes: [
              .init(operation: .insert, shape: 1, values: [.integer(1), .string("a row"), .null])
            ])
        ])
      return try model.written(above: reference == nil ? Knowledge() : horizon).bytes.count
    }
    #expect(try size(nil) > 24_000)
    #expect(
      try size(SegmentHorizon(declaration: 1, latestTime: .init(rawValue: 1))) <= 700)
  }
}
