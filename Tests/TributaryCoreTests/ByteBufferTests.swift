import Testing
import TributaryCore

struct ByteBufferTests {
  @Test(arguments: [0, 1, 16, 17, 1000])
  func `what is appended byte by byte is kept while the buffer grows`(capacity: Int) {
    var buffer = ByteBuffer(capacity: capacity)
    let startsEmpty = buffer.isEmpty
    #expect(startsEmpty)
    let expected = (0..<5000).map { UInt8(truncatingIfNeeded: $0 &* 31) }
    for byte in expected { buffer.append(byte) }
    #expect(Array(buffer.bytes) == expected)
    #expect(buffer.count == 5000)
  }

  @Test(arguments: 0..<30 as Range<UInt64>)
  func `any mixture of changes equals the same on an array`(seed: UInt64) {
    var random = RepeatableRandomness(seed: seed)
    var buffer = ByteBuffer(capacity: 0)
    var expected: [UInt8] = []
    for _ in 0..<200 {
      let word = random.next()
      let bytes = (0..<Int.random(in: 0...90, using: &random)).map { UInt8(truncatingIfNeeded: $0) }
      switch Int.random(in: 0...8, using: &random) {
      case 0:
        bytes.withUnsafeBytes { buffer.append($0) }
        expected += bytes
      case 1:
        buffer.append(contentsOf: bytes)
        expected += bytes
      case 2:
        buffer.append(littleEndian: word)
        expected += withUnsafeBytes(of: word.littleEndian) { Array($0) }
      case 3:
        let half = UInt32(truncatingIfNeeded: word)
        buffer.append(bigEndian: half)
        expected += withUnsafeBytes(of: half.bigEndian) { Array($0) }
      case 4:
        buffer.append(variable: word)
        expected += Self.leb128(word)
      case 5:
        let room = buffer.reserve(bytes.count)
        bytes.withUnsafeBytes {
          UnsafeMutableRawBufferPointer(start: room, count: $0.count).copyMemory(from: $0)
        }
        buffer.advance(by: bytes.count)
        expected += bytes
      case 6 where Int.random(in: 0...3, using: &random) == 0:
        buffer.removeAll()
        expected = []
      case 7:
        let count = Int.random(in: 0...expected.count, using: &random)
        buffer.truncate(to: count)
        expected.removeLast(expected.count - count)
      default:
        buffer.append(UInt8(truncatingIfNeeded: word))
        expected.append(UInt8(truncatingIfNeeded: word))
      }
      #expect(Array(buffer.bytes) == expected)
    }
  }

  @Test func `integers of every width have their byte order`() {
    var buffer = ByteBuffer()
    buffer.append(littleEndian: UInt16(0x0102))
    buffer.append(bigEndian: UInt16(0x0102))
    buffer.append(littleEndian: Int32(-2))
    buffer.append(bigEndian: UInt64(1))
    buffer.append(littleEndian: UInt8(9))
    #expect(
      Array(buffer.bytes)
        == [2, 1, 1, 2, 0xFE, 0xFF, 0xFF, 0xFF, 0, 0, 0, 0, 0, 0, 0, 1, 9])
  }

  @Test(arguments: 1...10)
  func `a variable number takes one byte more at each boundary`(length: Int) {
    let largest: UInt64 = length == 10 ? .max : 1 << (7 * length) - 1
    let smallest: UInt64 = length == 1 ? 0 : 1 << (7 * (length - 1))
    for number in [smallest, smallest + 1, largest - 1, largest] {
      var buffer = ByteBuffer(capacity: 0)
      buffer.append(variable: number)
      #expect(buffer.count == length)
      #expect(Array(buffer.bytes) == Self.leb128(number))
      #expect(Self.value(ofLEB128: Array(buffer.bytes)) == number)
    }
  }

  /// Written another way than the buffer does it: from the seven-bit groups that are left.
  private static func leb128(_ number: UInt64) -> [UInt8] {
    let length = max(1, (64 - number.leadingZeroBitCount + 6) / 7)
    return (0..<length).map { index in
      UInt8(number >> (7 * UInt64(index)) & 0x7F) | (index < length - 1 ? 0x80 : 0)
    }
  }

  private static func value(ofLEB128 bytes: [UInt8]) -> UInt64 {
    bytes.reversed().reduce(0) { $0 << 7 | UInt64($1 & 0x7F) }
  }
}
