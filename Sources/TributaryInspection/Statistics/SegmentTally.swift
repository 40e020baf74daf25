package import TributaryCore
package import TributaryReplay

/// The number and size of files.
package struct SegmentTally {
  private var sizes: [PeerIdentity: (count: Int, byteCount: UInt64)] = [:]

  package init(_ segments: [LogSegment]) {
    for segment in segments {
      let (count, byteCount) = sizes[segment.header.peer] ?? (0, 0)
      sizes[segment.header.peer] = (count + 1, byteCount + segment.size)
    }
  }

  /// Whether files can be grouped like this: they belong to a peer, not to a table or a day.
  package static func isFor(_ aspects: [LogGroup.Aspect]) -> Bool {
    aspects.allSatisfy { $0 == .peer }
  }

  /// The files of a peer; without one, all files.
  package subscript(peer: PeerIdentity?) -> (count: Int, byteCount: UInt64) {
    if let peer { return sizes[peer] ?? (0, 0) }
    return sizes.values.reduce((0, 0)) { ($0.0 + $1.count, $0.1 + $1.byteCount) }
  }
}
