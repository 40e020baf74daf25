package import TributaryCore

/// What a report says of one peer.
package struct ReportPeer {
  package let identity: PeerIdentity
  /// What people call it.
  package var name: String?
  /// The content name that it writes, as a number of the report's list; `nil` when it is only heard
  /// of.
  package var content: Int?
  package var segmentCount = 0
  /// Of its segments, as files; transactions that lie in two of them count twice.
  package var fileBytes: UInt64 = 0
  /// As far as the filter lets them pass.
  package var tally = ReportTally()
  /// The highest sequence in any file, whatever the filter.
  package var last = SequenceNumber.zero
  /// The times of its first and last transaction, in milliseconds.
  package var times: ClosedRange<UInt64>?
  /// The last transaction that it says it has published; `nil` without a `peer.json`.
  package var published: SequenceNumber?
  /// What it says it has imported, or what its last transaction shows that it had; an entry that is
  /// not here is zero.
  package var known = Knowledge()
  /// A number of another peer, whose former identity this one is.
  package var successor: Int?
  /// Another peer has declared it to be gone.
  package var isRetired = false
  /// What it knew before the first of its transactions that the report has singly.
  package var base = Knowledge()

  package init(_ identity: PeerIdentity) { self.identity = identity }
}
