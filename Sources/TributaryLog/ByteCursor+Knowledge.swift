import TributaryCore

extension ByteCursor {
  /// Reads a variable-length sequence, 1 … 2^63 − 1.
  mutating func sequence() throws(LogError) -> SequenceNumber {
    let start = offset
    let sequence = SequenceNumber(try variable())
    try check(sequence, at: start)
    return sequence
  }

  /// Reads a count, then each peer with its sequence as a variable-length number, in ascending
  /// order of peer.
  package mutating func entries() throws(LogError) -> [Knowledge.Entry] {
    let count = try count(upTo: LogFormat.maximumKnowledgeCount, of: "entries of a version vector")
    var entries: [Knowledge.Entry] = []
    for _ in 0..<count {
      let start = offset
      let entry = Knowledge.Entry(peer: try peer(), sequence: try sequence())
      try check(entry, after: entries.last, at: start)
      entries.append(entry)
    }
    return entries
  }

  /// Reads a 32-bit count, then each peer with its sequence as 64 bits, in ascending order of peer.
  mutating func fixedEntries() throws(LogError) -> [Knowledge.Entry] {
    let count = try littleEndian(UInt32.self)
    guard count <= LogFormat.maximumKnowledgeCount else {
      throw failure(.limitExceeded, "a version vector of \(count) peers")
    }
    var entries: [Knowledge.Entry] = []
    for _ in 0..<count {
      let start = offset
      let entry = Knowledge.Entry(peer: try peer(), sequence: SequenceNumber(try littleEndian()))
      try check(entry.sequence, at: start)
      try check(entry, after: entries.last, at: start)
      entries.append(entry)
    }
    return entries
  }

  private func check(_ sequence: SequenceNumber, at offset: Int) throws(LogError) {
    guard sequence > .zero, sequence <= .max else {
      throw LogError(.malformed, "\(sequence) is not a sequence", at: UInt64(offset))
    }
  }

  private func check(
    _ entry: Knowledge.Entry, after last: Knowledge.Entry?, at offset: Int
  ) throws(LogError) {
    if let last, entry.peer <= last.peer {
      throw LogError(.malformed, "the peers of a version vector do not ascend", at: UInt64(offset))
    }
  }
}
