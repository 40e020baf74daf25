import TributaryCore
import TributaryFiles

/// The contents of a peer's directory, by their names alone, and the information needed to read it.
package struct PeerListing: Equatable, Sendable {
  /// The owner of the directory.
  package var peer: PeerIdentity
  /// The files with the name of a segment, in ascending order.
  package var segments: [SegmentFile] = []
  /// Names in the log that end like a segment's name but are not one, in ascending order. The files may be
  /// copies of segments, which only their contents can show.
  package var misnamed: [String] = []
  /// All other entries, as paths relative to the peer's directory, in ascending order.
  package var ignored: [IgnoredFile] = []
  /// Whether there is a `peer.json`.
  package var hasManifest = false
  /// Whether there is a directory for baselines.
  package var hasBaselines = false
  /// Whether a directory was listed by its parent and was missing a moment later.
  package var hasVanished = false
  /// Corrections of what the peer's transactions mean by names that were given up; empty in the
  /// result of a scan.
  package var corrections: [KnowledgeCorrection] = []
  /// Why the listing is incomplete; `nil` if it is complete.
  package var failure: FileError?

  /// An empty listing.
  package init(peer: PeerIdentity) { self.peer = peer }

  /// Whether the files have all transactions from one to another, judging by their names. A misnamed file may
  /// have any.
  package func hasSegments(after first: SequenceNumber, upTo last: SequenceNumber) -> Bool {
    if !misnamed.isEmpty { return true }
    var end = first
    for segment in segments where segment.name.first <= end.next {
      end = max(end, segment.name.last)
    }
    return end >= last
  }
}
