import TributaryCore

/// How the payload of a segment names the peers of a version vector.
enum PeerNotation {
  /// By their 16 bytes.
  case identity
  /// By their position in this list, which the header has: the peers of its knowledge, then the author. So
  /// each of them is named once in a file. The position after the last one means that the 16 bytes of another
  /// peer follow, which only a basis can name.
  case position([PeerIdentity])

  init(_ header: SegmentHeader) {
    self =
      header.horizon?.numbersPeers == true
      ? .position(header.knowledge.entries.map(\.peer) + [header.peer]) : .identity
  }
}

extension ByteBuffer {
  /// Appends a count, then each peer with its sequence as a variable-length number.
  ///
  /// - Parameter entries: in ascending order of peer.
  mutating func append(
    variable entries: [Knowledge.Entry], as notation: PeerNotation
  ) throws(LogError) {
    try LogError.checkKnowledge(count: entries.count)
    append(variable: UInt64(entries.count))
    guard case .position(let peers) = notation else {
      for entry in entries {
        append(entry.peer)
        append(variable: entry.sequence.rawValue)
      }
      return
    }
    // Both ascend, except for the author, whose position is the last.
    let author = peers.count - 1
    var position = 0
    var unlisted: [Knowledge.Entry] = []
    for entry in entries where entry.peer != peers[author] {
      while position < author, peers[position] < entry.peer { position += 1 }
      guard position < author, peers[position] == entry.peer else {
        unlisted.append(entry)
        continue
      }
      append(variable: UInt64(position))
      append(variable: entry.sequence.rawValue)
    }
    if let entry = entries.first(where: { $0.peer == peers[author] }) {
      append(variable: UInt64(author))
      append(variable: entry.sequence.rawValue)
    }
    for entry in unlisted {
      append(variable: UInt64(peers.count))
      append(entry.peer)
      append(variable: entry.sequence.rawValue)
    }
  }
}

extension ByteCursor {
  /// Reads a count, then each peer with its sequence as a variable-length number.
  ///
  /// - Returns: the entries in the order of the file; each peer occurs once.
  mutating func entries(as notation: PeerNotation) throws(LogError) -> [Knowledge.Entry] {
    guard case .position(let peers) = notation else { return try entries() }
    let count = try count(upTo: LogFormat.maximumKnowledgeCount, of: "entries of a version vector")
    let author = peers.count - 1
    var entries: [Knowledge.Entry] = []
    var next = 0
    var unlisted: PeerIdentity?
    for _ in 0..<count {
      let start = offset
      let position = Int(clamping: try variable())
      guard next...peers.count ~= position else {
        throw LogError(
          .malformed, "position \(position) of a peer, which is none of \(next) to \(peers.count)",
          at: UInt64(start))
      }
      next = min(position + 1, peers.count)
      let peer = try position < peers.count ? peers[position] : self.peer()
      if position == peers.count {
        guard unlisted.map({ $0 < peer }) ?? true else {
          throw LogError(
            .malformed, "the peers of a version vector do not ascend", at: UInt64(start))
        }
        guard !peers.contains(peer, upTo: author) else {
          throw LogError(
            .malformed, "\(peer) is written out, though the header lists it", at: UInt64(start))
        }
        unlisted = peer
      }
      entries.append(Knowledge.Entry(peer: peer, sequence: try sequence()))
    }
    return entries
  }
}

extension [PeerIdentity] {
  /// Whether a peer is the last element, or one of the ascending elements before it.
  fileprivate func contains(_ peer: PeerIdentity, upTo last: Int) -> Bool {
    var low = 0
    var high = last
    while low < high {
      let middle = (low + high) / 2
      if self[middle] < peer { low = middle + 1 } else { high = middle }
    }
    return low < last && self[low] == peer || self[last] == peer
  }
}
