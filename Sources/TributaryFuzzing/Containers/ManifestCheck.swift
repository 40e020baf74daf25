import TributaryContainer
import TributaryCore

/// Checks any `peer.json`.
package enum ManifestCheck {
  /// The owner of the directory from which it is read.
  package static let peer = PeerIdentity(high: 0x0123_4567_89AB_CDEF, low: 0xFEDC_BA98_7654_3210)
  private static let subjects = [peer, PeerIdentity(high: 1, low: 2)]

  static func run(_ bytes: [UInt8]) throws(FuzzFailure) {
    let directory: ContentDirectory
    do throws(ContainerError) {
      directory = ContentDirectory(container: "/c", name: try ContentName("Library"))
    } catch { throw FuzzFailure("\(error)") }
    // Typed, so that no other error is possible.
    let manifest: PeerManifest
    do throws(ContainerError) {
      manifest = try PeerManifest(decoding: bytes, of: peer, in: directory)
    } catch {
      return try FuzzFailure.demand(
        [.damagedFile, .foreign, .newerFormat].contains(error.code)
          && error.message.contains(directory.manifest(of: peer)), "the error is \(error)")
    }
    do throws(ContainerError) {
      let again = try PeerManifest(decoding: manifest.bytes, of: peer, in: directory)
      try require(again == manifest && again.bytes == manifest.bytes, "written again it is another")
      let sealed = ManifestSeal.sealed(ManifestSeal.opened(bytes))
      try require(
        try PeerManifest(decoding: sealed, of: peer, in: directory) == manifest,
        "with a checksum it is another")
      for subject in subjects {
        let part = try PeerManifest(decoding: bytes, of: peer, in: directory, about: subject)
        try require(
          part.receipt[subject] == manifest.receipt[subject]
            && part.times[subject] == manifest.times[subject]
            && part.schema == manifest.schema && part.retired == manifest.retired,
          "about one peer it says something else")
      }
    } catch { throw FuzzFailure("what was read is not read again: \(error)") }
  }

  private static func require(_ condition: Bool, _ text: String) throws(ContainerError) {
    if !condition { throw ContainerError(.damagedFile, text, remedy: "mend it") }
  }
}
