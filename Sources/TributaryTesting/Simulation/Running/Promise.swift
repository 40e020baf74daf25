internal import TributaryCore
internal import TributaryLog

/// A commit by what stays of it when its store takes another identity: its time, and the first half
/// of the identity.
struct Promise: Hashable {
  let time: HybridTime
  let lineage: UInt64

  init(_ time: HybridTime, by peer: PeerIdentity) {
    self.time = time
    lineage = peer.high
  }
}

extension SimulatedCarrier {
  /// Returns the commits in the segments that the carrier has seen intact.
  ///
  /// - Parameter knowledge: excludes what is beyond it; `nil` excludes nothing.
  func promises(upTo knowledge: Knowledge? = nil) -> Set<Promise> {
    var promises: Set<Promise> = []
    for file in files where file.isSegment {
      guard let peer = PeerIdentity(hex: file.peerName) else { continue }
      for (sequence, time) in Self.transactions(in: file.best)
      where knowledge.map({ $0[peer] >= sequence }) ?? true {
        promises.insert(Promise(time, by: peer))
      }
    }
    return promises
  }

  private static func transactions(
    in bytes: [UInt8]
  ) -> [(sequence: SequenceNumber, time: HybridTime)] {
    var found: [(SequenceNumber, HybridTime)] = []
    do {
      var reader = try SegmentReader(source: MemorySource(bytes))
      while let header = try reader.nextTransaction() {
        found.append((header.sequence, header.time))
      }
    } catch {
      // An incomplete segment promises nothing.
      return []
    }
    return found
  }
}
