import Testing
import TributaryCore
import TributaryFuzzing
import TributaryLog

struct HeaderTests {
  static let knowledge = Knowledge(
    (1...20).map { .init(peer: .init(high: $0 << 32, low: 1), sequence: .init($0)) })
  static let header = HostileSegment.header(contentName: "Bücher", knowledge: knowledge)

  @Test func `a header comes back from its bytes`() throws {
    let bytes = try Self.header.encoded()
    #expect(try bytes.withUnsafeBytes { try SegmentHeader(decoding: $0) } == Self.header)
    #expect(Self.header.version == FormatVersion(major: 1, minor: 0))
  }

  @Test func `a prefix tells how much more is needed`() throws {
    let content = try Self.header.encoded()
    let file = SegmentFrames.skippable(0x184D_2A50, content) + [1, 2, 3]
    let whole = 8 + content.count
    for count in 0...file.count {
      let prefix = try file[..<count].withUnsafeBytes { try SegmentHeader.read(prefix: $0) }
      let expected: SegmentHeader.Prefix =
        count < 18
        ? .needs(18) : count < whole ? .needs(whole) : .header(Self.header, byteCount: whole)
      #expect(prefix == expected, "\(count) bytes")
    }
  }

  @Test func `something else is recognised by its first bytes`() {
    for bytes in [[0, 0, 0, 0], Array("hello".utf8), SegmentFrames.skippable(0x184D_2A50, [65])] {
      #expect(problem(bytes + [0, 0, 0, 0, 0, 0, 0, 0, 0, 0])?.code == .notALog)
    }
  }

  @Test func `a newer major version is rejected before anything else is read`() throws {
    var content = Array(try Self.header.encoded()[..<10])
    content[8] = 2
    // Neither the size of the frame nor anything behind the version makes sense.
    var file = SegmentFrames.skippable(0x184D_2A50, content) + [0xFF, 0xFF, 0xFF]
    for index in 4..<8 { file[index] = 0xFF }
    let error = try #require(problem(file))
    #expect(error.code == .newerFormat)
    #expect(error.remedy == "update this program")
  }

  @Test func `a newer minor version may say more`() throws {
    let bytes = try HostileSegment.segment(changes: [4, 1, 0, 0, 0])
    var content = try HostileSegment.header().encoded()
    #expect(problem(HostileSegment.replacingHeader(of: bytes, with: content)) == nil)
    let longer = HostileSegment.replacingHeader(of: bytes, with: content + [1])
    #expect(problem(longer)?.code == .malformed)
    content[10] = 2
    content += [1, 2, 3]
    let newer = HostileSegment.replacingHeader(of: bytes, with: content)
    #expect(problem(newer) == nil)
    var trailer = SegmentFrames(newer).trailer
    trailer.insert(contentsOf: [9, 9, 9, 9, 9], at: trailer.count - 8)
    trailer[4] += 5
    #expect(problem(newer.dropLast(60) + trailer) == nil)
    #expect(problem(bytes.dropLast(60) + trailer)?.code == .malformed)
  }

  /// Offset of a byte of the content, its new value, and what must come of it.
  @Test(
    arguments: [
      (8, 0, .malformed), (8, 2, .newerFormat), (12, 1, .malformed), (12, 3, .malformed),
      (12, 4, .newerFormat),
      (15, 0x80, .newerFormat),
      (16, 1, .malformed), (32, 0, .malformed), (32, 3, .malformed), (32, 2, .malformed),
      (40, 1, .malformed), (40, 3, .malformed), (47, 0x80, .malformed), (48, 11, .malformed),
      (48, 20, .malformed), (48, 21, .malformed), (56, 21, .malformed), (64, 0, .limitExceeded),
      (65, 0xFF, .limitExceeded), (66, 0xFF, .malformed), (76, 0xFF, .limitExceeded),
      (73, 1, .malformed), (73, 0xFF, .malformed),
    ] as [(Int, UInt8, LogError.Code)])
  func `a header that lies is found out`(offset: Int, value: UInt8, code: LogError.Code) throws {
    let bytes = try HostileSegment.segment(changes: [4, 1, 0, 0, 0])
    var content = try HostileSegment.header().encoded()
    content[offset] = value
    // A changed author is nobody's lie: only the checksum, which is made right here, shows it.
    let expected: LogError.Code? = offset == 16 ? nil : code
    #expect(problem(HostileSegment.replacingHeader(of: bytes, with: content))?.code == expected)
  }

  @Test func `what the format does not allow is not written`() {
    let other = Knowledge([.init(peer: HostileSegment.peer, sequence: .init(1))])
    let large = Knowledge(
      (1...65537).map { .init(peer: .init(high: $0, low: 0), sequence: .init(1)) })
    var backwards = Self.header
    backwards.lastTime = .zero
    var before = Self.header
    before.first = .zero
    var beyond = Self.header
    beyond.last = .init(1 << 63)
    let headers = [
      HostileSegment.header(contentName: ""),
      HostileSegment.header(contentName: String(repeating: "x", count: 4097)),
      HostileSegment.header(knowledge: other), HostileSegment.header(knowledge: large),
      backwards, before, beyond,
    ]
    for header in headers {
      #expect(throws: LogError.self) { try header.encoded() }
    }
  }

  @Test func `the largest header is read`() throws {
    let large = Knowledge(
      (1...65536).map { .init(peer: .init(high: $0, low: 0), sequence: .max) })
    let header = HostileSegment.header(
      contentName: String(repeating: "x", count: 4096), knowledge: large)
    let content = try header.encoded()
    #expect(content.count <= SegmentHeader.maximumByteCount)
    let model = SegmentModel(
      header: header, schemas: [1: "v1"],
      transactions: (1...2).map {
        .init(header: HostileSegment.transaction($0, knowledge: large), changes: [])
      })
    #expect(try SegmentModel(reading: try model.written().bytes, step: 5000) == model)
  }
}
