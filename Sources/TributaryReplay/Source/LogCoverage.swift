internal import TributaryContainer
package import TributaryCore

/// Which transactions are in segments.
package struct LogCoverage {
  /// A run of transactions of one peer that are in no segment.
  package typealias Gap = (peer: PeerIdentity, missing: ClosedRange<SequenceNumber>)

  /// For each peer, the ranges that are missing before later transactions, in ascending order.
  private(set) var gaps: [PeerIdentity: [ClosedRange<SequenceNumber>]] = [:]
  /// The last transaction of each peer.
  private var last: [PeerIdentity: SequenceNumber]

  init(gaps: [Gap], last: [PeerIdentity: SequenceNumber]) {
    self.last = last
    for gap in gaps { self.gaps[gap.peer, default: []].append(gap.missing) }
  }

  /// Takes the ranges from the headers of segments.
  package init(_ segments: [LogSegment]) {
    self.init(segments.map { ($0.header.peer, $0.header.first...$0.header.last) })
  }

  /// Takes the ranges from the names of files.
  package init(_ logs: [PeerLog]) {
    self.init(
      logs.flatMap { log in
        log.paths.compactMap { path in
          guard let peer = log.peer, let name = SegmentName(path.lastPathComponent),
            name.first <= name.last
          else { return nil }
          return (peer, name.first...name.last)
        }
      })
  }

  private init(_ runs: [(peer: PeerIdentity, range: ClosedRange<SequenceNumber>)]) {
    self.init(gaps: [], last: [:])
    for run in runs.sorted(by: { $0.range.lowerBound < $1.range.lowerBound }) {
      let next = last[run.peer, default: .zero].next
      if next < run.range.lowerBound {
        let before = SequenceNumber(run.range.lowerBound.rawValue - 1)
        gaps[run.peer, default: []].append(next...before)
      }
      last[run.peer] = max(last[run.peer, default: .zero], run.range.upperBound)
    }
  }

  /// Returns the last transaction of a peer that something other than a segment must have: the last one
  /// missing before a segment or, if there is no segment, the last one that anything has.
  func lastMissing(
    of peer: PeerIdentity, inAnyUpTo most: SequenceNumber
  ) -> SequenceNumber {
    last[peer] == nil ? most : gaps[peer]?.last?.upperBound ?? .zero
  }

  /// Returns the transactions below a horizon, and not below another one, that are in no segment.
  ///
  /// - Complexity: O(*n*) in the peers of the horizon and their gaps.
  func missing(from horizon: Knowledge, beyond known: Knowledge = Knowledge()) -> [Gap] {
    horizon.entries.flatMap { entry in
      let rest = last[entry.peer, default: .zero].next...SequenceNumber.max
      let ranges = gaps[entry.peer, default: []] + [rest]
      return ranges.compactMap { range in
        let first = max(range.lowerBound, known[entry.peer].next)
        let last = min(range.upperBound, entry.sequence)
        return first <= last ? (entry.peer, first...last) : nil
      }
    }
  }
}
