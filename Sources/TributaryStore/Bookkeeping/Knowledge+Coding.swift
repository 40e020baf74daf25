import TributaryCore

extension Knowledge {
  /// Each entry as 16 bytes of peer and 8 bytes of sequence number, most significant first.
  package var encoded: [UInt8] {
    entries.flatMap { entry in
      entry.peer.bytes + withUnsafeBytes(of: entry.sequence.rawValue.bigEndian) { Array($0) }
    }
  }

  /// Reads what `encoded` returns; `nil` for anything else.
  package init?(decoding bytes: UnsafeRawBufferPointer) {
    guard bytes.count % 24 == 0 else { return nil }
    var entries: [Entry] = []
    for offset in stride(from: 0, to: bytes.count, by: 24) {
      guard let peer = PeerIdentity(bytes: UnsafeRawBufferPointer(rebasing: bytes[offset...]))
      else {
        return nil
      }
      let sequence = SequenceNumber(
        UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: offset + 16, as: UInt64.self)))
      guard .zero < sequence, sequence <= .max else { return nil }
      entries.append(Entry(peer: peer, sequence: sequence))
    }
    self.init(entries)
  }
}
