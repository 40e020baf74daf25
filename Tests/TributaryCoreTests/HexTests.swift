import Testing
import TributaryCore

struct HexTests {
  @Test(arguments: [0, 1, 15, 16, 0xDEAD_BEEF, 1 << 63, .max] as [UInt64])
  func `a number is read back from its sixteen digits`(number: UInt64) {
    #expect(number.lowerHex.utf8.count == 16)
    #expect(UInt64(lowerHex: number.lowerHex.utf8) == number)
  }

  @Test func `fewer digits make a small number`() {
    #expect(UInt64(lowerHex: "f".utf8) == 15)
    #expect(UInt64(lowerHex: "00ff".utf8) == 255)
  }

  @Test(arguments: [
    "", "00000000000000000", "F", "g", " 1", "1 ", "-1", "+1", "0x1", "1_0", "\u{FF11}", "1\0",
  ])
  func `anything but one to sixteen lower-case digits is no number`(text: String) {
    #expect(UInt64(lowerHex: text.utf8) == nil)
  }

  @Test func `every byte has two digits`() {
    let text = (UInt8.min...UInt8.max).lowerHex
    #expect(text.utf8.count == 512)
    let bytes = stride(from: 0, to: 512, by: 2).map { start in
      UInt64(lowerHex: text.utf8.dropFirst(start).prefix(2))
    }
    #expect(bytes == (0...255).map { UInt64($0) })
    #expect([UInt8]().lowerHex == "")
  }
}
