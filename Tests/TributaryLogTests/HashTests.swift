import Testing
import TributaryCore
import TributaryLog

struct HashTests {
  @Test(arguments: [("", "0e5751c026e543b2"), ("abc", "bddd813c63423972")])
  func `the hash is the start of BLAKE2b-256`(text: String, digits: String) {
    #expect(Array(text.utf8).withUnsafeBytes { SegmentHash.hash($0) }.lowerHex == digits)
  }

  @Test func `pieces give the hash of the whole`() {
    let bytes = (0..<5000).map { UInt8(truncatingIfNeeded: $0 &* 31) }
    var hash = SegmentHash()
    for start in stride(from: 0, to: 5000, by: 333) {
      bytes[start..<min(start + 333, 5000)].withUnsafeBytes { hash.update($0) }
    }
    #expect(hash.finish() == bytes.withUnsafeBytes { SegmentHash.hash($0) })
  }
}
