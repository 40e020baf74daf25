import TributaryContainer
import TributaryCore

/// Checks any name that a directory may have, or that a header may give a database.
enum NameCheck {
  static func run(_ bytes: [UInt8]) throws(FuzzFailure) {
    let text = String(decoding: bytes, as: UTF8.self)
    _ = CarrierName.reason(for: text)
    if let name = SegmentName(text) {
      try FuzzFailure.demand(
        name.description.utf8.elementsEqual(text.utf8) && name.first <= name.last,
        "the name \(name) of \(text.debugDescription)")
    }
    if let peer = PeerIdentity(hex: text) {
      try FuzzFailure.demand(
        peer.description.utf8.elementsEqual(text.utf8), "the peer \(peer) of \(text)")
    }
    let path: String
    do throws(ContainerError) {
      let name = try ContentName(text)
      // A content name must also be a root, or the guard below fails.
      let root = try? ContentRoot(text)
      path = ContentDirectory(container: "/c", name: name).path
      guard root?.text == text else { throw .init(.invalidName, "no root", remedy: "") }
    } catch {
      return try FuzzFailure.demand(error.code == .invalidName, "the error is \(error)")
    }
    let parts = path.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
    try FuzzFailure.demand(
      parts.count == 4 && parts[3].elementsEqual(text.utf8) && text != ".." && text != "."
        && !text.utf8.contains { $0 < 0x20 || $0 == 0x7F } && text.utf8.count <= 100,
      "the content name \(text.debugDescription)")
  }
}
