import TributaryCore

extension InputBuffer {
  /// Whether the head of frame 2 has arrived. It must be of the only kind that writers make, so that its
  /// memory use is known.
  func hasPayloadFrame() throws(LogError) -> Bool {
    let bytes = self.bytes
    // Magic, flags, block descriptor, and their checksum.
    guard bytes.count >= 7 else {
      guard !hasEnded else {
        throw LogError(.truncated, "the file ends after its header", at: received, in: .file)
      }
      return false
    }
    let magic = UInt32(littleEndian: bytes.loadUnaligned(as: UInt32.self))
    guard magic == LogFormat.payloadFrameMagic else {
      let what = magic & 0xFFFF_FFF0 == LogFormat.headerFrameMagic ? "a second skippable" : "no LZ4"
      throw LogError(.malformed, "\(what) frame in place of the payload", at: offset, in: .file)
    }
    guard bytes[4] & 1 == 0 else {
      throw LogError(.malformed, "the payload needs a dictionary", at: offset + 4, in: .file)
    }
    guard bytes[4] == LogFormat.payloadFrameFlags, bytes[5] == LogFormat.payloadBlockDescriptor
    else {
      throw LogError(
        .malformed, "the payload's frame is not of linked 256 KiB blocks with all checksums",
        at: offset + 4, in: .file)
    }
    return true
  }
}
