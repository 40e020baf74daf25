import Testing
import TributaryCore
import TributaryHorizon
import TributaryLog
import TributaryTesting

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

  /// A header that declares its entries.
  private static func declaring(_ count: Int, _ members: [PeerIdentity]) -> BaselineHeader {
    var header = header(count, 700)
    header.declaration = Declaration(weight: 7, members: members, entries: header.entries)
    return BaselineHeader(
      peer: header.peer, databaseSize: header.databaseSize, contentName: header.contentName,
      entries: header.entries, declaration: header.declaration)
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
    for (place, value) in [(16, 2), (20, 2), (23, 0x80)] {
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
    bytes[10] = 2
    let header = try (bytes + [1]).withUnsafeBytes { try BaselineHeader(decoding: $0) }
    #expect(header.entries == Self.header(2, 5).entries)
    #expect(header.version == FormatVersion(major: 1, minor: 2))
  }

  @Test(arguments: [0, 1, 40], [1, 3, 200])
  func `a declared horizon is read as it was written`(peers: Int, members: Int) throws {
    let header = Self.declaring(peers, (0..<members).map { Self.peer(UInt64($0) * 3 + 1) })
    let file = try Self.file(header, Self.database(700))
    let read = try Self.read(file.bytes, step: 13).header
    #expect(read == header)
    #expect(read.version == FormatVersion(major: 1, minor: 1))
    #expect(read.declaration?.identifier == read.declaration?.digest)
    #expect(read.declaration?.horizon.entries.count == peers)
  }

  @Test(arguments: [
    TableSelection.only([]), .only(["t"]), .except(["Müsli", "t", "u"]),
  ])
  func `the tables that a baseline has are read as they were written`(tables: TableSelection) throws
  {
    for declaring in [false, true] {
      var header = declaring ? Self.declaring(3, [Self.peer(1)]) : Self.header(3, 700)
      header = BaselineHeader(
        peer: header.peer, databaseSize: header.databaseSize, contentName: header.contentName,
        entries: header.entries, declaration: header.declaration, tables: tables)
      let read = try Self.read(Self.file(header, Self.database(700)).bytes, step: 7).header
      #expect(read == header)
      #expect(read.tables == tables)
      let bytes = try header.encoded()
      for count in bytes.indices {
        #expect(throws: LogError.self) {
          try bytes[..<count].withUnsafeBytes { try BaselineHeader(decoding: $0) }
        }
      }
    }
  }

  @Test(arguments: [TableSelection.only(["u", "t"]), .except(["t", "t"]), .except([""])])
  func `tables that do not ascend, or have no name, are neither written nor read`(
    tables: TableSelection
  ) throws {
    var header = Self.header(3, 0)
    header.tables = tables
    #expect(throws: LogError.self) { try header.encoded() }
  }

  @Test func `the identifier of a declaration follows from everything that it says`() {
    let first = Self.declaring(3, [Self.peer(1), Self.peer(4)]).declaration
    #expect(first == Self.declaring(3, [Self.peer(4), Self.peer(1)]).declaration)
    guard let first else { return }
    var others = (0..<5).map { _ in first }
    others[0].weight += 1
    others[1].members.removeLast()
    others[2].horizon[Self.peer(1)] = SequenceNumber(79)
    others[3].times[Self.peer(1)] = HybridTime(rawValue: 1)
    others[4].horizon[Self.peer(9)] = SequenceNumber(1)
    #expect(Set((others + [first]).map(\.digest)).count == 6)
    // The bytes that Schemas/baseline-format.md names, hashed by `b2sum -l 256`.
    let small = Declaration(
      weight: 2, members: [PeerIdentity(high: 1, low: 2)],
      entries: [
        BaselineHeader.Entry(
          peer: PeerIdentity(high: 3, low: 4), sequence: SequenceNumber(5),
          time: HybridTime(rawValue: 6))
      ])
    #expect(first.bytes.withUnsafeBytes { try? Declaration(decoding: $0) } == first)
    for count in first.bytes.indices where (count - 12) % 32 != 0 {
      #expect(throws: LogError.self) {
        try first.bytes[..<count].withUnsafeBytes { try Declaration(decoding: $0) }
      }
    }
    #expect(small.identifier.lowerHex == "10fb55f3413b5440")
  }

  @Test func `a declaration that breaks a rule is neither written nor read`() throws {
    let whole = Self.declaring(3, [Self.peer(1), Self.peer(4)])
    var weightless = whole
    weightless.declaration?.weight = 0
    var memberless = whole
    memberless.declaration?.members = []
    var unordered = whole
    unordered.declaration?.members.reverse()
    var other = whole
    other.declaration?.horizon = Knowledge()
    for header in [weightless, memberless, unordered, other] {
      #expect(throws: LogError.self) { try header.encoded() }
    }
    let bytes = try whole.encoded()
    func expectMalformed(_ change: (inout [UInt8]) -> Void) {
      var bytes = bytes
      change(&bytes)
      let error = #expect(throws: LogError.self) {
        try bytes.withUnsafeBytes { try BaselineHeader(decoding: $0) }
      }
      #expect(error?.code == .malformed || error?.code == .truncated)
    }
    expectMalformed { $0[10] = 0 }
    expectMalformed { $0[$0.count - 44] = 0 }
    expectMalformed { $0[$0.count - 36] = 1 }
    expectMalformed { $0[$0.count - 36] = 0 }
    expectMalformed {
      $0[$0.count - 1] ^= 1
      $0[$0.count - 17] = 0xFF
      $0[$0.count - 32] = 0xFF
    }
    expectMalformed { $0.append(0) }
    expectMalformed { $0.removeLast() }
    expectMalformed { $0[12] = 0 }
  }
}
