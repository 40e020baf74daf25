import Testing
import TributaryCore

struct PeerIdentityTests {
  static let text = "00f1e2d3c4b5a697880796a5b4c3d2ef"

  @Test(arguments: 0..<20 as Range<UInt64>)
  func `text and bytes bring back the identity`(seed: UInt64) {
    var random = RepeatableRandomness(seed: seed)
    let peer = PeerIdentity.random(using: &random)
    #expect(PeerIdentity(hex: peer.description) == peer)
    #expect(peer.bytes.withUnsafeBytes { PeerIdentity(bytes: $0) } == peer)
    #expect(peer.bytes.lowerHex == peer.description)
    #expect(peer.bytes.count == PeerIdentity.byteCount)
  }

  @Test func `the binary form starts with the most significant byte`() {
    let peer = PeerIdentity(high: 0x0102_0304_0506_0708, low: 0x090A_0B0C_0D0E_0F10)
    #expect(peer.bytes == Array(1...16))
    #expect(PeerIdentity(hex: Self.text)?.description == Self.text)
  }

  @Test(arguments: 0..<32)
  func `every strict prefix of the text is refused`(count: Int) {
    #expect(PeerIdentity(hex: Self.text.prefix(count)) == nil)
  }

  @Test(arguments: 0..<32, ["F", "g", "-", " ", "\0"])
  func `one wrong digit anywhere is refused`(position: Int, digit: String) {
    let text = Self.text.prefix(position) + digit + Self.text.dropFirst(position + 1)
    #expect(PeerIdentity(hex: text) == nil)
  }

  @Test func `a digit too many is refused`() {
    #expect(PeerIdentity(hex: Self.text + "0") == nil)
  }

  @Test(arguments: 0..<PeerIdentity.byteCount)
  func `every strict prefix of the bytes is refused`(count: Int) {
    let bytes = [UInt8](repeating: 1, count: count)
    #expect(bytes.withUnsafeBytes { PeerIdentity(bytes: $0) } == nil)
  }

  @Test(arguments: 0..<50 as Range<UInt64>)
  func `identities are ordered like their bytes`(seed: UInt64) {
    var random = RepeatableRandomness(seed: seed)
    let small = { (random: inout RepeatableRandomness) in
      PeerIdentity(
        high: UInt64.random(in: 0...1, using: &random) << 40,
        low: UInt64.random(in: 0...2, using: &random) << 20)
    }
    let (a, b) = (small(&random), small(&random))
    #expect((a < b) == a.bytes.lexicographicallyPrecedes(b.bytes))
    #expect((a == b) == (a.bytes == b.bytes))
  }
}
