import Testing
import TributaryContainer
import TributaryCore
import TributaryTesting

/// What a `peer.json` says about the versions that its program reads.
struct ManifestFormatsTests {
  @Test
  func `the versions that a program reads are stated, and judged by the format where they are not`()
    throws
  {
    let directory = ContentDirectory(container: "/c", name: try ContentName("Library"))
    var manifest = PeerManifestTests.manifest(directory)
    #expect(manifest.formats == nil)
    for (minor, reads) in [(0, false), (1, false), (2, true), (9, true)] {
      manifest.format.minor = UInt16(minor)
      #expect(manifest.readsAboveHorizons == reads)
      #expect(!manifest.refusesAboveHorizons)
    }
    manifest.formats = .current
    let text = String(decoding: manifest.bytes, as: UTF8.self)
    #expect(
      text.contains(
        #""formats":{"baseline":{"newest":[1,1],"oldest":[1,0]},"log":{"newest":[1,1],"oldest":[1,0]},"#
          + #""manifest":{"newest":[1,2],"oldest":[1,0]}}"#))
    #expect(try PeerManifest(decoding: manifest.bytes, of: alice, in: directory) == manifest)
    for (log, reads) in [("[1,0]", false), ("[1,1]", true), ("[2,0]", true)] {
      let other = ManifestSeal.sealed(
        Array(
          String(decoding: ManifestSeal.opened(manifest.bytes), as: UTF8.self)
            .replacing(#""log":{"newest":[1,1]"#, with: #""more":7,"log":{"newest":\#(log)"#).utf8))
      let read = try PeerManifest(decoding: other, of: alice, in: directory)
      #expect(read.readsAboveHorizons == reads)
      #expect(read.refusesAboveHorizons == !reads)
    }
  }

  @Test(arguments: ["[1]", "[1,2,3]", "[0,9]", "[1,65536]", "\"1.1\"", "{}"])
  func `a range that is none is damage`(newest: String) throws {
    let directory = ContentDirectory(container: "/c", name: try ContentName("Library"))
    var manifest = PeerManifestTests.manifest(directory)
    manifest.formats = .current
    let text = String(decoding: ManifestSeal.opened(manifest.bytes), as: UTF8.self)
      .replacing(#""log":{"newest":[1,1]"#, with: #""log":{"newest":\#(newest)"#)
    #expect {
      _ = try PeerManifest(
        decoding: ManifestSeal.sealed(Array(text.utf8)), of: alice, in: directory)
    } throws: {
      has(.damagedFile, $0)
    }
  }
}
