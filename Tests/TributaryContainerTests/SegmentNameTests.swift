import Testing
import TributaryContainer
import TributaryCore

struct SegmentNameTests {
  static let text = "0000000000000001-00000000000000ff-0123456789abcdef.lz4"

  @Test func `a name comes apart and together`() throws {
    let name = try #require(SegmentName(Self.text))
    #expect(name == SegmentName(first: .init(1), last: .init(255), hash: 0x0123_4567_89ab_cdef))
    #expect(name.description == Self.text)
    #expect(Self.text.utf8.count == SegmentName.byteCount)
    let largest = SegmentName(first: .max, last: .max, hash: .max)
    #expect(SegmentName(largest.description) == largest)
  }

  @Test(arguments: 0..<54)
  func `no prefix and no change of a byte is a name of the table`(index: Int) {
    #expect(SegmentName(String(Self.text.prefix(index))) == nil)
    for replacement in ["g", "A", "_", " ", "/", "\0", ".", "é", "٣"] {
      var characters = Array(Self.text)
      guard characters[index] != Character(replacement) else { continue }
      characters[index] = Character(replacement)
      #expect(SegmentName(String(characters)) == nil)
    }
  }

  @Test(arguments: [
    "0000000000000000-0000000000000000-0123456789abcdef.lz4",
    "0000000000000000-0000000000000001-0123456789abcdef.lz4",
    "0000000000000002-0000000000000001-0123456789abcdef.lz4",
    "0000000000000001-8000000000000000-0123456789abcdef.lz4",
    "0000000000000001-00000000000000ff-0123456789abcdef.lz4 ",
    " 0000000000000001-00000000000000ff-0123456789abcdef.lz4",
    "0000000000000001-00000000000000ff-0123456789abcdef.LZ4",
    "1-ff-0123456789abcdef.lz4", ".lz4", "",
  ])
  func `a name that breaks a rule is none`(text: String) {
    #expect(SegmentName(text) == nil)
  }

  @Test func `names are ordered like their texts`() {
    var random = SplitMix(state: 7)
    let names = (0..<300).map { _ in
      let first = UInt64.random(in: 1...3, using: &random)
      let last = UInt64.random(in: first...4, using: &random)
      return SegmentName(
        first: .init(first), last: .init(last), hash: .random(in: 0...2, using: &random))
    }
    #expect(names.sorted().map(\.description) == names.map(\.description).sorted())
  }
}
