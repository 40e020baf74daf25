import Testing
import TributaryCore
import TributaryLog

/// The bytes of baselines: what was written is read, and nothing else.
struct BaselineFormatTests {
  /// Keeps what is written.
  private struct MemoryBytes: ByteSink {
    var bytes: [UInt8] = []

    mutating func write(_ bytes: UnsafeRawBufferPointer) { self.bytes += bytes }
  }

  private static func peer(_ number: UInt64) -> PeerIdentity {
    PeerIdentity(high: number, low: ~number)
  }

  private static func header(_ count: Int, _ size: Int) -> BaselineHeader {
    BaselineHeader(
      peer: peer(2), databaseSize: UInt64(size), contentName: "Müsli/Ü",
      entries: (0..<count).map { number in
        BaselineHeader.Entry(
          peer: peer(UInt64(number)), sequence: SequenceNumber(UInt64(number) * 77 + 1),
          time: HybridTime(rawValue: UInt64(number) << 40))
      })
  }

  private static func file(
    _ header: BaselineHeader, _ database: [UInt8], level: Int = 0
  ) throws -> (bytes: [UInt8], hash: UInt64) {
    var source = MemorySource(database, step: 1000)
    var sink = MemoryBytes()
    let written = try header.write(&source, to: &sink, level: level)
    #expect(written.byteCount == UInt64(sink.bytes.count))
    return (sink.bytes, written.hash)
  }

  private static func read(
    _ bytes: [UInt8], step: Int = .max
  ) throws -> (header: BaselineHeader, database: [UInt8], hash: UInt64?) {
    var reader = try BaselineReader(source: MemorySource(bytes, step: step))
    var database: [UInt8] = []
    while let piece = try reader.next() { database += piece }
    #expect(try reader.next() == nil)
    return (reader.header, database, reader.contentHash)
  }

  private static func database(_ size: Int, seed: UInt64 = 1) -> [UInt8] {
    var random = SeededGenerator(seed: seed)
    // Half of it can be compressed.
    return (0..<size).map { $0 % 2 == 0 ? 7 : UInt8(truncatingIfNeeded: random.next()) }
  }

  @Test(arguments: [0, 1, 3, 500], [0, 1, 4096, 256 << 10, 700_001])
  func `what was written is read, however the bytes arrive`(peers: Int, size: Int) throws {
    let header = Self.header(peers, size)
    let database = Self.database(size)
    for level in [0, 3] {
      let file = try Self.file(header, database, level: level)
      for step in [Int.max, 7919] {
        let read = try Self.read(file.bytes, step: step)
        #expect(read.header == header)
        #expect(read.database == database)
        #expect(read.hash == file.hash)
      }
    }
  }

  @Test func `the hash is that of all bytes`() throws {
    let file = try Self.file(Self.header(3, 5000), Self.database(5000))
    #expect(file.bytes.withUnsafeBytes { SegmentHash.hash($0) } == file.hash)
  }

  @Test func `the writer's last transaction is that of its entry`() throws {
    #expect(Self.header(5, 0).sequence == SequenceNumber(155))
    #expect(Self.header(2, 0).sequence == .zero)
    #expect(Self.header(3, 0).transactionCount == 1 + 78 + 155)
  }

  @Test func `a file that is cut short anywhere is not whole`() throws {
    let file = try Self.file(Self.header(2, 3000), Self.database(3000))
    for count in 0..<file.bytes.count {
      let error = #expect(throws: LogError.self) { try Self.read(Array(file.bytes[..<count])) }
      #expect(error?.code == .truncated, "\(count): \(error?.description ?? "")")
    }
  }

  @Test func `a changed byte is found, at the latest by the hash`() throws {
    let header = Self.header(3, 2000)
    let database = Self.database(2000)
    let file = try Self.file(header, database)
    for place in file.bytes.indices {
      var bytes = file.bytes
      bytes[place] ^= 1 << UInt8(place % 8)
      do {
        let read = try Self.read(bytes)
        #expect(read.hash != file.hash, "byte \(place)")
      } catch is LogError {
        continue
      }
    }
  }

  @Test func `bytes that follow are found`() throws {
    let file = try Self.file(Self.header(1, 100), Self.database(100))
    let error = #expect(throws: LogError.self) { try Self.read(file.bytes + [0]) }
    #expect(error?.code == .malformed)
  }

  @Test(arguments: [99, 101])
  func `a database of another size than the header says is refused`(size: Int) throws {
    let error = #expect(throws: LogError.self) {
      try Self.file(Self.header(1, 100), Self.database(size))
    }
    #expect(error?.code == .inconsistent)
    // Somebody else's program wrote it all the same.
    let header = try Self.header(1, 100).encoded()
    let file = try Self.file(Self.header(1, size), Self.database(size))
    let payload = file.bytes[(8 + header.count)...]
    let bytes = Array(file.bytes[..<8]) + header + payload
    let read = #expect(throws: LogError.self) { try Self.read(bytes) }
    #expect(read?.code == .malformed)
  }

  @Test func `newer versions and flags are refused by name`() throws {
    let file = try Self.file(Self.header(1, 100), Self.database(100))
    for (place, value) in [(16, 2), (20, 1)] {
      var bytes = file.bytes
      bytes[place] = UInt8(value)
      let error = #expect(throws: LogError.self) { try Self.read(bytes) }
      #expect(error?.code == .newerFormat)
    }
    var segment = file.bytes
    segment[12] = UInt8(ascii: "L")
    let error = #expect(throws: LogError.self) { try Self.read(segment) }
    #expect(error?.code == .notALog)
  }

  @Test func `a header that breaks a rule is neither written nor read`() throws {
    var unordered = Self.header(3, 0)
    unordered.entries.swapAt(0, 1)
    var twice = Self.header(3, 0)
    twice.entries[1] = twice.entries[0]
    var nameless = Self.header(1, 0)
    nameless.contentName = ""
    var zero = Self.header(1, 0)
    zero.entries[0].sequence = .zero
    for header in [unordered, twice, nameless, zero] {
      #expect(throws: LogError.self) { try header.encoded() }
    }
    var bytes = try Self.header(3, 0).encoded()
    // The number of the writer's last transaction, beside the entries.
    bytes[32] ^= 1
    #expect(throws: LogError.self) {
      try bytes.withUnsafeBytes { try BaselineHeader(decoding: $0) }
    }
  }

  @Test func `a newer minor version may append to the header`() throws {
    var bytes = try Self.header(2, 5).encoded()
    #expect(throws: LogError.self) {
      try (bytes + [1]).withUnsafeBytes { try BaselineHeader(decoding: $0) }
    }
    bytes[10] = 1
    let header = try (bytes + [1]).withUnsafeBytes { try BaselineHeader(decoding: $0) }
    #expect(header.entries == Self.header(2, 5).entries)
    #expect(header.version == FormatVersion(major: 1, minor: 1))
  }
}
