internal import TributaryContainer
internal import TributaryCore
internal import TributaryLog
internal import TributaryTesting

/// A commit, identified by what stays the same when its store takes another identity: its time, and the first
/// half of the identity.
struct Promise: Hashable {
  let time: HybridTime
  let lineage: UInt64

  init(_ time: HybridTime, by peer: PeerIdentity) {
    self.time = time
    lineage = peer.high
  }
}

extension Promise {
  /// Returns the commits in a segment, by number; none if the segment is not intact.
  static func all(in segment: [UInt8], of peer: PeerIdentity) -> [SequenceNumber: Promise] {
    var found: [SequenceNumber: Promise] = [:]
    do {
      var reader = try SegmentReader(source: MemorySource(segment))
      while let header = try reader.nextTransaction() {
        found[header.sequence] = Promise(header.time, by: peer)
      }
    } catch {
      // An incomplete segment promises nothing.
      return [:]
    }
    return found
  }
}

extension SimulatedCarrier {
  /// Returns the commits in the segments that the carrier has seen intact.
  func promises() -> Set<Promise> {
    var promises: Set<Promise> = []
    for file in files where file.isSegment {
      guard let peer = file.peer else { continue }
      promises.formUnion(Promise.all(in: file.best, of: peer).values)
    }
    return promises
  }
}

extension Simulation {
  /// Returns all commits that were ever in segments, by author and number; one number may stand for several
  /// commits.
  func published() -> [PeerIdentity: [SequenceNumber: Set<Promise>]] {
    var found: [PeerIdentity: [SequenceNumber: Set<Promise>]] = [:]
    func add(_ bytes: [UInt8], _ name: String) {
      guard let peer = PeerIdentity(hex: name) else { return }
      for (sequence, promise) in Promise.all(in: bytes, of: peer) {
        found[peer, default: [:]][sequence, default: []].insert(promise)
      }
    }
    for file in carrier.files where file.isSegment { add(file.best, file.peerName) }
    // Segments that baselines stand for may have been removed before the carrier saw them.
    for device in devices {
      for (path, bytes) in device.files.published
      where SegmentName(path.lastPathComponent) != nil {
        add(bytes, ArchivedFile.peerName(of: path) ?? "")
      }
    }
    return found
  }
}
