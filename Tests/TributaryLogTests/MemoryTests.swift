import Testing
import TributaryCore
import TributaryLog
import TributaryTesting

struct MemoryTests {
  private func read(_ bytes: [UInt8], limits: SegmentLimits = .init()) -> (LogError?, peak: Int) {
    do throws(any Error) {
      var reader = try SegmentReader(source: MemorySource(bytes), limits: limits)
      do throws(any Error) {
        while try reader.nextTransaction() != nil { while try reader.nextChange() != nil {} }
        return (nil, reader.peakBufferByteCount)
      } catch { return (error as? LogError, reader.peakBufferByteCount) }
    } catch { return (error as? LogError, 0) }
  }

  /// Hands the same bytes to a transaction many times.
  private func segment(
    head: [UInt8], filling: [UInt8], times: Int, count: UInt64
  ) throws -> [UInt8] {
    var writer = try SegmentWriter(header: HostileSegment.header(last: 1), sink: MemorySink())
    try writer.define(schema: 1, name: "v1")
    try writer.define(shape: 1, HostileSegment.shape)
    try writer.begin(HostileSegment.transaction(1))
    try head.withUnsafeBytes { try writer.append(changes: $0) }
    for _ in 0..<times { try filling.withUnsafeBytes { try writer.append(changes: $0) } }
    try writer.end(changeCount: count)
    return try writer.finishReturningSink().takeSink().bytes
  }

  static let zeros = [UInt8](repeating: 0, count: 1 << 20)

  private func blobHead(byteCount: UInt64) -> [UInt8] {
    var buffer = ByteBuffer()
    buffer.appendChangeHead(.insert, shape: 1)
    buffer.append(variable: byteCount * 2 + 12)
    return Array(buffer.bytes)
  }

  @Test func `a bomb of a blob stops at the limit, before it is unpacked`() throws {
    let bytes = try segment(
      head: blobHead(byteCount: 1 << 29), filling: Self.zeros, times: 512, count: 1)
    #expect(bytes.count < 4 << 20)
    let (error, peak) = read(bytes, limits: SegmentLimits(changeByteCount: 10 << 20))
    #expect(error?.code == .limitExceeded)
    #expect(peak < 1 << 20)
  }

  @Test func `a bomb of small changes takes no memory`() throws {
    // Inserts of three NULLs: 20 times the memory.
    let changes = (0..<200_000).flatMap { _ in [4, 1, 0, 0, 0] as [UInt8] }
    let bytes = try segment(head: [], filling: changes, times: 20, count: 4_000_000)
    #expect(bytes.count < 1 << 20)
    let (error, peak) = read(bytes)
    #expect(error == nil)
    #expect(peak < 1 << 20)
  }

  @Test func `what a length claims is not reserved before it arrives`() throws {
    let bytes = try segment(
      head: blobHead(byteCount: 1 << 29), filling: [1, 2, 3], times: 1, count: 1)
    let (error, peak) = read(bytes)
    #expect(error?.code == .malformed)
    #expect(peak < 1 << 20)
  }

  @Test func `a bomb of definitions stops at the limit`() throws {
    // Ends the transaction; then schemas without a name, under ever higher numbers.
    var definitions = ByteBuffer()
    definitions.append(contentsOf: [7, 0])
    for id in UInt64(2)...3_000_000 {
      definitions.append(1 as UInt8)
      definitions.append(variable: id)
      definitions.append(0 as UInt8)
    }
    let bytes = try segment(head: [], filling: Array(definitions.bytes), times: 1, count: 0)
    let (error, peak) = read(bytes)
    #expect(error?.code == .limitExceeded)
    #expect(peak < 1 << 20)
  }

  @Test func `a change of many blocks is handed out whole`() throws {
    let size = 100 << 20
    var bytes = try segment(
      head: blobHead(byteCount: UInt64(size)), filling: Self.zeros, times: 100, count: 1)
    #expect(read(bytes).0?.code == .malformed)
    var writer = try SegmentWriter(header: HostileSegment.header(last: 1), sink: MemorySink())
    try writer.define(schema: 1, name: "v1")
    try writer.define(shape: 1, HostileSegment.shape)
    try writer.begin(HostileSegment.transaction(1))
    try blobHead(byteCount: UInt64(size)).withUnsafeBytes { try writer.append(changes: $0) }
    for _ in 0..<100 { try Self.zeros.withUnsafeBytes { try writer.append(changes: $0) } }
    try ([8, 9] as [UInt8]).withUnsafeBytes { try writer.append(changes: $0) }
    try writer.end(changeCount: 1)
    bytes = try writer.finishReturningSink().takeSink().bytes
    var reader = try SegmentReader(source: MemorySource(bytes))
    _ = try reader.nextTransaction()
    let change = try #require(try reader.nextChange())
    var values = change.values
    #expect(try values.next().bytes.count == size)
    #expect(try values.next().integer == 0)
    #expect(try values.next().integer == 1)
    #expect(values.isAtEnd)
    #expect(try reader.nextChange() == nil)
    #expect(try reader.nextTransaction() == nil)
    #expect(reader.peakBufferByteCount < size + 2 << 20)
  }

  @Test func `a transaction of 100 MB streams through small buffers`() throws {
    struct Counter: ByteSink {
      var largest = 0
      var bytes: [UInt8] = []
      mutating func write(_ bytes: UnsafeRawBufferPointer) {
        largest = max(largest, bytes.count)
        self.bytes.append(contentsOf: bytes)
      }
    }
    var random = SeededGenerator(seed: 40)
    let noise = random.bytes(count: 4096)
    var writer = try SegmentWriter(header: HostileSegment.header(last: 1), sink: Counter())
    try writer.define(schema: 1, name: "v1")
    try writer.define(shape: 1, HostileSegment.shape)
    try writer.begin(HostileSegment.transaction(1))
    var buffer = ByteBuffer()
    var sum: Int64 = 0
    let count = 50_000
    for index in 0..<count {
      buffer.removeAll()
      buffer.appendChangeHead(.insert, shape: 1)
      buffer.appendInteger(Int64(index))
      noise.withUnsafeBytes {
        buffer.appendBlob($0.baseAddress.map { $0 + index % 2000 }, count: 2000)
      }
      buffer.appendReal(Double(index))
      sum += Int64(index)
      try writer.append(changes: buffer.bytes)
    }
    try writer.end(changeCount: UInt64(count))
    let finished = try writer.finishReturningSink()
    #expect(finished.summary.payloadSize > 100_000_000)
    let sink = finished.takeSink()
    #expect(sink.largest < 1 << 20)

    var reader = try SegmentReader(source: MemorySource(sink.bytes, step: 70_000))
    _ = try reader.nextTransaction()
    var found = 0
    while let change = try reader.nextChange() {
      var values = change.values
      sum -= try values.next().integer
      found += 1
    }
    #expect(found == count && sum == 0)
    #expect(try reader.nextTransaction() == nil)
    #expect(reader.peakBufferByteCount < 1 << 20)
  }
}
