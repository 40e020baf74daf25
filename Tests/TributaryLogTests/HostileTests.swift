import Testing
import TributaryCore
import TributaryFuzzing
import TributaryLog

struct HostileTests {
  /// What stands behind the head of the first transaction, and what must come of it.
  struct Case: CustomTestStringConvertible, Sendable {
    var name: String
    var changes: [UInt8]
    var code: LogError.Code

    init(_ name: String, _ changes: [UInt8], _ code: LogError.Code = .malformed) {
      (self.name, self.changes, self.code) = (name, changes, code)
    }

    var testDescription: String { name }
  }

  static let huge: [UInt8] = [0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x01]
  static let time = [UInt8](repeating: 0, count: 7)

  static let cases: [Case] = [
    Case("an unknown item", [9]),
    Case("an unknown shape", [4, 2, 0, 0, 0]),
    Case("an id over 32 bits", [4, 0xFF, 0xFF, 0xFF, 0xFF, 0x7F, 0, 0, 0]),
    Case("an id not in its shortest form", [4, 0x81, 0, 0, 0, 0]),
    Case("a definition in a transaction", [1, 2, 0]),
    Case("a transaction in a transaction", [3, 2]),
    Case("a wrong number of changes", [4, 1, 0, 0, 0, 7, 2]),
    Case("a huge number of changes", [7] + huge),
    Case("a text of nearly 2^63 bytes", [4, 1] + huge, .limitExceeded),
    Case("a blob of nearly 2^63 bytes", [4, 1, 0xFE] + huge.dropFirst(), .limitExceeded),
    Case("a type over 64 bits", [4, 1] + huge.dropLast() + [2]),
    Case("an unchanged column in an insert", [4, 1, 10, 0, 0]),
    Case("an unchanged column in a delete", [6, 1, 10, 0]),
    Case("a run past the last column", [5, 1, 0, 0, 11, 2]),
    Case("a run of one", [5, 1, 0, 0, 11, 1]),
    Case("a huge run", [5, 1, 11] + huge),
    Case("an update without its key", [5, 1, 11, 2, 0]),
    Case("an update with half its key", [5, 1, 0, 10, 0]),
    Case("NaN", [4, 1, 7, 0xFF, 0xF8, 0, 0, 0, 0, 0, 0, 0, 0]),
    Case("no end", [4, 1, 0, 0, 0, 4, 1, 0]),
    Case("an end between transactions", [7, 0, 7, 0]),
    Case("a change between transactions", [7, 0, 4, 1, 0, 0, 0]),
    Case("a schema twice", [7, 0, 1, 1, 0]),
    Case("a shape twice", [7, 0, 2, 1, 0, 1, 1, 65, 1, 0, 0]),
    Case("a shape without columns", [7, 0, 2, 9, 0, 0, 0]),
    Case("a shape without key", [7, 0, 2, 9, 0, 1, 1, 65, 0]),
    Case("a shape with two keys of one column", [7, 0, 2, 9, 0, 1, 1, 65, 2], .limitExceeded),
    Case("a key column out of range", [7, 0, 2, 9, 0, 1, 1, 65, 1, 1, 0]),
    Case("a key column twice", [7, 0, 2, 9, 0, 2, 1, 65, 1, 66, 2, 0, 0, 0, 0]),
    Case("an unknown collation", [7, 0, 2, 9, 0, 1, 1, 65, 1, 0, 3]),
    Case("two columns of one name", [7, 0, 2, 9, 0, 2, 1, 65, 1, 97, 1, 0, 0]),
    Case("a name that is not UTF-8", [7, 0, 1, 9, 1, 0xFF]),
    Case("a name over 4,096 bytes", [7, 0, 1, 9, 0x81, 0x20], .limitExceeded),
    Case("a huge name", [7, 0, 1, 9] + huge, .limitExceeded),
    Case("too many columns", [7, 0, 2, 9, 0, 0x80, 0x80, 2], .limitExceeded),
    Case("an unknown schema", [7, 0, 3, 2, 20] + time + [2, 0, 0]),
    Case("a gap", [7, 0, 3, 3, 20] + time + [1, 0, 0]),
    Case("a sequence again", [7, 0, 3, 1, 20] + time + [1, 0, 0]),
    Case("sequence 0", [7, 0, 3, 0, 20] + time + [1, 0, 0]),
    Case("a time that stands", [7, 0, 3, 2, 10] + time + [1, 0, 0]),
    Case("a last time that is another", [7, 0, 3, 2, 21] + time + [1, 0, 0]),
    Case("a basis that is neither there nor not", [7, 0, 3, 2, 20] + time + [1, 0, 2]),
    Case("too much knowledge", [7, 0, 3, 2, 20] + time + [1, 0x81, 0x80, 4], .limitExceeded),
    Case(
      "knowledge that the header lacks",
      [7, 0, 3, 2, 20] + time + [1, 1] + HostileSegment.peer.bytes.reversed() + [1, 0]),
    Case(
      "knowledge of sequence 0",
      [7, 0, 3, 2, 20] + time + [1, 1] + HostileSegment.peer.bytes.reversed() + [0, 0]),
    Case(
      "the author's own knowledge",
      [7, 0, 3, 2, 20] + time + [1, 1] + HostileSegment.peer.bytes + [1, 0]),
    Case(
      "peers that do not ascend",
      [7, 0, 3, 2, 20] + time + [1, 0, 1, 2]
        + HostileSegment.peer.bytes + [1] + HostileSegment.peer.bytes + [1]),
    Case(
      "a transaction too many",
      [7, 0, 3, 2, 20] + time + [1, 0, 0, 7, 0, 3, 3, 30] + time + [1, 0, 0]),
  ]

  @Test(arguments: cases, [1, .max])
  func `a payload against the rules is rejected, with its place`(test: Case, step: Int) throws {
    let bytes = try HostileSegment.segment(changes: test.changes)
    let error = try #require(problem(bytes, step: step))
    #expect(error.code == test.code, "\(error)")
    #expect(error.region == .payload)
    #expect(error.offset != nil)
    #expect(!error.description.contains("\n"))
  }

  @Test func `the place is that of the item`() throws {
    let error = try #require(problem(try HostileSegment.segment(changes: [9])))
    // Schema: 5 bytes, shape: 16 bytes, transaction: 13 bytes.
    let place: UInt64? = 5 + 16 + 13
    #expect(error.offset == place)
  }

  @Test func `counts and index of the trailer must be right`() throws {
    let bytes = try HostileSegment.segment(changes: [4, 1, 0, 0, 0])
    #expect(problem(bytes) == nil)
    let trailer = bytes.count - 60
    for offset in [4, 8, 16, 24, 32, 36, 44] {
      var changed = bytes
      changed[trailer + offset] ^= 1
      #expect(problem(changed)?.region == .file)
    }
    #expect(problem(try HostileSegment.segment(changes: [], count: 0)) == nil)
  }

  @Test func `only the three frames of the format are taken`() throws {
    let bytes = try HostileSegment.segment(changes: [4, 1, 0, 0, 0])
    let frames = SegmentFrames(bytes)
    let (header, payload, trailer) = (frames.header, frames.payload, frames.trailer)
    #expect(header + payload + trailer == bytes)
    let other = SegmentFrames.skippable(0x184D_2A52, [1, 2, 3])
    var dictionary = payload
    dictionary[4] |= 1
    var independent = payload
    independent[4] |= 0x20
    var large = payload
    large[5] = 0x70
    let cases: [([UInt8], LogError.Code)] = [
      (other + bytes, .notALog),
      (payload, .notALog),
      (header + other + payload + trailer, .malformed),
      (header + header + payload + trailer, .malformed),
      (header + payload + other + trailer, .malformed),
      (header + payload + payload + trailer, .malformed),
      (bytes + [0], .malformed),
      (bytes + bytes, .malformed),
      (bytes + other, .malformed),
      (header + trailer, .malformed),
      (header + dictionary + trailer, .malformed),
      (header + independent + trailer, .malformed),
      (header + large + trailer, .malformed),
    ]
    for (index, (bytes, code)) in cases.enumerated() {
      #expect(problem(bytes)?.code == code, "case \(index)")
      #expect(problem(bytes, step: 1)?.code == code, "case \(index) byte by byte")
    }
    #expect(problem(header + dictionary + trailer)?.message.contains("dictionary") == true)
  }
}
