import TributaryContainer
import TributaryCore

extension ContentListing {
  /// Whether there is a file that should contain a transaction.
  func holds(_ sequence: SequenceNumber, of peer: PeerIdentity) -> Bool {
    let files = peers.first { $0.peer == peer }?.segments ?? []
    return files.contains { $0.name.first <= sequence && sequence <= $0.name.last }
  }

  /// Returns, for each other peer with segments beyond what has been imported, the segment that reaches
  /// furthest.
  func arrivals(beyond known: Knowledge, except own: PeerIdentity) -> [PeerIdentity: SegmentName] {
    var arrivals: [PeerIdentity: SegmentName] = [:]
    for peer in peers where peer.peer != own {
      let furthest = peer.segments.map(\.name).max { $0.last < $1.last }
      if let furthest, furthest.last > known[peer.peer] { arrivals[peer.peer] = furthest }
    }
    return arrivals
  }

  /// Returns the last transaction of a peer up to which none is missing, according to the names of its files.
  func end(of peer: PeerIdentity) -> SequenceNumber {
    let files = peers.first { $0.peer == peer }?.segments ?? []
    return files.reduce(.zero) { end, file in
      file.name.first <= end.next ? max(end, file.name.last) : end
    }
  }

  /// Whether any transactions are in more than one segment. Such segments may differ.
  var hasOverlaps: Bool {
    peers.contains { peer in
      var last = SequenceNumber.zero
      return peer.segments.contains { file in
        defer { last = max(last, file.name.last) }
        return file.name.first <= last
      }
    }
  }
}
