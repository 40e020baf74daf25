import Testing
import TributaryCore
import TributaryLog
import TributaryTesting

struct WriterTests {
  typealias Writer = SegmentWriter<MemorySink>

  /// Runs a writer that has schema 1 and shape 1.
  private func code(_ body: (inout Writer) throws -> Void) throws -> LogError.Code? {
    let known = Knowledge([.init(peer: .init(high: 1, low: 1), sequence: .init(5))])
    var writer = try Writer(header: HostileSegment.header(knowledge: known), sink: MemorySink())
    try writer.define(schema: 1, name: "v1")
    try writer.define(shape: 1, HostileSegment.shape)
    do {
      try body(&writer)
      _ = try writer.finish()
      return nil
    } catch let error as LogError { return error.code }
  }

  private func known(_ sequence: UInt64, peer: UInt64 = 1) -> Knowledge {
    Knowledge([.init(peer: .init(high: peer, low: 1), sequence: .init(sequence))])
  }

  private func add(
    _ sequence: UInt64, _ known: Knowledge, to writer: inout Writer,
    change: (inout TransactionHeader) -> Void = { _ in }
  ) throws {
    var transaction = HostileSegment.transaction(sequence, knowledge: known)
    change(&transaction)
    try writer.begin(transaction)
    try writer.end(changeCount: 0)
  }

  @Test func `what the header promised is taken`() throws {
    #expect(
      try code {
        try add(1, known(4), to: &$0)
        try add(2, known(5), to: &$0)
      } == nil)
  }

  @Test func `what the header did not promise is refused`() throws {
    let lies: [(inout Writer) throws -> Void] = [
      { _ in },
      { try add(1, known(5), to: &$0) },
      { try add(2, known(5), to: &$0) },
      { try add(1, known(5), to: &$0, change: { $0.time = .init(rawValue: 9) }) },
      { try add(1, known(5), to: &$0, change: { $0.schema = 2 }) },
      {
        try add(1, known(4), to: &$0)
        try add(2, known(4), to: &$0)
      },
      {
        try add(1, known(6), to: &$0)
        try add(2, known(5), to: &$0)
      },
      {
        try add(1, known(5, peer: 2), to: &$0)
        try add(2, known(5), to: &$0)
      },
      {
        try add(1, known(5), to: &$0)
        try add(2, known(5), to: &$0, change: { $0.time = .init(rawValue: 21) })
      },
      {
        try add(1, known(5), to: &$0)
        try add(2, known(5), to: &$0)
        try add(3, known(5), to: &$0)
      },
      { try add(1, known(5), to: &$0, change: { $0.knowledge[HostileSegment.peer] = .init(1) }) },
    ]
    for (index, lie) in lies.enumerated() {
      #expect(try code(lie) == .inconsistent, "lie \(index)")
    }
  }

  @Test func `calls out of order are refused`() throws {
    let orders: [(inout Writer) throws -> Void] = [
      { try $0.define(schema: 1, name: "again") },
      { try $0.define(shape: 1, HostileSegment.shape) },
      { try $0.end(changeCount: 0) },
      { try $0.append(changes: .init(start: nil, count: 0)) },
      { try $0.begin(HostileSegment.transaction(1)) },
      {
        try $0.begin(HostileSegment.transaction(1))
        try $0.begin(HostileSegment.transaction(2))
      },
      {
        try $0.begin(HostileSegment.transaction(1))
        try $0.define(schema: 2, name: "late")
      },
    ]
    for (index, order) in orders.enumerated() {
      #expect(try code(order) == .inconsistent, "order \(index)")
    }
  }

  @Test func `ids know whether they are defined`() throws {
    _ = try code { writer in
      let schemas = [1, 2].map { writer.isDefined(schema: $0) }
      #expect(schemas == [true, false])
      let before = [1, 2].map { writer.isDefined(shape: $0) }
      #expect(before == [true, false])
      let encoded = try HostileSegment.shape.encoded()
      try encoded.withUnsafeBytes { try writer.define(shape: 2, encoded: $0) }
      let after = writer.isDefined(shape: 2)
      #expect(after)
    }
  }

  @Test func `nothing can be written after the sink failed`() throws {
    struct Full: Error {}
    struct FullSink: ByteSink {
      mutating func write(_ bytes: UnsafeRawBufferPointer) throws { throw Full() }
    }
    var writer = try SegmentWriter(header: HostileSegment.header(), sink: FullSink())
    try writer.define(schema: 1, name: "v1")
    try writer.begin(HostileSegment.transaction(1))
    var random = SeededGenerator(seed: 1)
    let noise = random.bytes(count: 1 << 20)
    noise.withUnsafeBytes { noise in
      #expect(throws: Full.self) { try writer.append(changes: noise) }
      #expect(throws: LogError.self) { try writer.append(changes: noise) }
    }
    #expect(throws: LogError.self) { try writer.end(changeCount: 1) }
    do {
      _ = try writer.finish()
      Issue.record("finished")
    } catch { #expect(error is LogError) }
  }
}
