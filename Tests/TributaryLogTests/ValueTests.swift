import Testing
import TributaryCore
import TributaryLog
import TributaryTesting

struct ValueTests {
  @Test(arguments: Value.extremes)
  func `an integer takes the smallest form and comes back`(integer: Int64) throws {
    var buffer = ByteBuffer()
    buffer.appendInteger(integer)
    let sizes = [(7, 1), (15, 2), (23, 3), (31, 4), (47, 6), (63, 8)]
    let fitting = sizes.first { bits, _ in
      let limit = Int64.max >> Int64(63 - bits)
      return (-limit - 1...limit).contains(integer)
    }
    let size = integer == 0 || integer == 1 ? 0 : try #require(fitting).1
    #expect(buffer.count == 1 + size)
    var cursor = ImageCursor(buffer.bytes)
    #expect(try cursor.next().value == .integer(integer))
    #expect(cursor.isAtEnd)
  }

  @Test(arguments: Value.reals)
  func `a real comes back with every bit`(real: Double) throws {
    var buffer = ByteBuffer()
    buffer.appendReal(real)
    var cursor = ImageCursor(buffer.bytes)
    #expect(try cursor.next().real.bitPattern == real.bitPattern)
  }

  @Test func `NaN is written as NULL and never read`() {
    var buffer = ByteBuffer()
    buffer.appendReal(.nan)
    #expect(Array(buffer.bytes) == [0])
    let stored: [UInt8] = [7, 0x7F, 0xF8, 0, 0, 0, 0, 0, 0]
    _ = stored.withUnsafeBytes { bytes in
      #expect(throws: LogError.self) {
        var cursor = ImageCursor(bytes)
        return try cursor.next().kind
      }
    }
  }

  @Test(arguments: [0, 1, 57, 58, 8191, 8192, 100_000])
  func `text and blobs of every size come back`(count: Int) throws {
    let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 7) }
    var buffer = ByteBuffer()
    buffer.append(.text(bytes))
    buffer.append(.blob(bytes))
    var cursor = ImageCursor(buffer.bytes)
    #expect(try cursor.next().value == .text(bytes))
    #expect(try cursor.next().value == .blob(bytes))
    #expect(cursor.offset == buffer.count)
  }

  @Test func `runs of unchanged columns are handed out one by one`() throws {
    var buffer = ByteBuffer()
    for count in [0, 1, 2, 300] { buffer.appendAbsent(count: count) }
    buffer.appendNull()
    #expect(Array(buffer.bytes) == [10, 11, 2, 11, 0xAC, 2, 0])
    var cursor = ImageCursor(buffer.bytes)
    for _ in 0..<303 { #expect(try cursor.next().kind == .absent) }
    #expect(!cursor.isAtEnd)
    #expect(try cursor.next().kind == .null)
    #expect(cursor.isAtEnd)
  }

  @Test func `a view is written as the value that it shows`() throws {
    var random = SeededGenerator(seed: 3)
    for _ in 0..<500 {
      var first = ByteBuffer()
      first.append(Value.random(using: &random))
      var cursor = ImageCursor(first.bytes)
      var second = ByteBuffer()
      second.append(try cursor.next())
      #expect(first.bytes.elementsEqual(second.bytes))
    }
  }

  @Test(
    arguments: [
      [], [1], [2, 0], [3, 0, 0], [4, 0, 0, 0], [5, 0, 0, 0, 0, 0], [6, 1], [7, 0], [14], [15],
      [11], [11, 1], [11, 0xFF, 0xFF, 0xFF, 0x7F], [0x80], [0x80, 0],
      // A text and a blob of nearly 2^63 bytes, and a number over 64 bits.
      [0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 1],
      [0xFE, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 1],
      [0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 2],
    ] as [[UInt8]])
  func `an impossible value is an error`(bytes: [UInt8]) {
    _ = bytes.withUnsafeBytes { bytes in
      #expect(throws: LogError.self) {
        var cursor = ImageCursor(bytes)
        return try cursor.next().kind
      }
    }
  }
}
