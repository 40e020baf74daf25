import Testing
import TributaryContainer
import TributaryCore
import TributaryTesting

/// What was decoded before is not decoded again, and never taken for something else.
struct DecodedManifestTests {
  let directory: ContentDirectory
  let decoded = DecodedManifests()

  init() throws {
    directory = ContentDirectory(container: "/c", name: try ContentName("Library"))
  }

  private func decode(_ bytes: [UInt8], about subject: PeerIdentity? = nil) throws -> PeerManifest {
    try decoded.manifest(decoding: bytes, of: alice, in: directory, about: subject)
  }

  @Test func `bytes that were decoded before give the same manifest, and are kept once`() throws {
    let manifest = PeerManifestTests.manifest(directory)
    #expect(try decode(manifest.bytes) == manifest)
    #expect(try decode(manifest.bytes) == manifest)
    #expect(decoded.count == 1)
  }

  @Test func `each question about the same bytes has an answer of its own`() throws {
    let manifest = PeerManifestTests.manifest(directory)
    for _ in 1...2 {
      for subject in [nil, alice, bob] {
        #expect(
          try decode(manifest.bytes, about: subject)
            == PeerManifest(decoding: manifest.bytes, of: alice, in: directory, about: subject))
      }
    }
    #expect(decoded.count == 3)
  }

  @Test func `one byte makes another file, and what is damaged or foreign is never kept`() throws {
    var manifest = PeerManifestTests.manifest(directory)
    _ = try decode(manifest.bytes)
    var damaged = manifest.bytes
    damaged[damaged.count / 2] ^= 1
    for _ in 1...2 {
      #expect { try decode(damaged) } throws: { ($0 as? ContainerError)?.code == .damagedFile }
      #expect {
        try decoded.manifest(decoding: manifest.bytes, of: bob, in: directory, about: nil)
      } throws: {
        ($0 as? ContainerError)?.code == .foreign
      }
      let other = ContentDirectory(container: "/c", name: try ContentName("Other"))
      #expect {
        try decoded.manifest(decoding: manifest.bytes, of: alice, in: other, about: nil)
      } throws: {
        ($0 as? ContainerError)?.code == .foreign
      }
    }
    #expect(decoded.count == 1)
    manifest.sequence = SequenceNumber(18)
    #expect(try decode(manifest.bytes) == manifest)
    #expect(decoded.count == 2)
  }

  @Test func `only so many are kept, and none that is large`() throws {
    var manifest = PeerManifestTests.manifest(directory)
    let count = DecodedManifests.largestCount
    for number in 1...UInt64(3 * count) {
      manifest.sequence = SequenceNumber(number)
      #expect(try decode(manifest.bytes) == manifest)
      #expect(decoded.count == min(Int(number), count))
    }
    manifest.name = String(repeating: "x", count: DecodedManifests.largestByteCount)
    #expect(try decode(manifest.bytes) == manifest)
    let last = manifest
    manifest.name = ""
    #expect(try decode(manifest.bytes) == manifest)
    #expect(try decode(last.bytes) == last)
    #expect(decoded.count == count)
  }
}
