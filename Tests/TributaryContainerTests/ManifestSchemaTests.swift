import Testing
import TributaryContainer
import TributaryCore
import TributaryTesting

struct ManifestSchemaTests {
  @Test func `texts of migrations and the time of a change are read as written`() throws {
    let directory = ContentDirectory(container: "/c", name: try ContentName("Library"))
    var manifest = PeerManifestTests.manifest(directory)
    manifest.schema.texts = ["", "0123456789abcdef"]
    manifest.schema.changed = HybridTime.maximumMilliseconds
    #expect(
      try PeerManifest(decoding: manifest.bytes, of: manifest.peer, in: directory) == manifest)
    manifest.schema.changed = HybridTime.maximumMilliseconds + 1
    #expect {
      try PeerManifest(decoding: manifest.bytes, of: manifest.peer, in: directory)
    } throws: {
      ($0 as? ContainerError)?.code == .damagedFile
    }
  }
}
