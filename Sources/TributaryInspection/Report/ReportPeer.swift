package import TributaryCore

/// The part of a report about one peer.
package struct ReportPeer {
  package let identity: PeerIdentity
  /// The peer's readable name.
  package var name: String?
  /// The number, in the report, of the content name that it writes; `nil` if the peer is only
  /// mentioned.
  package var content: Int?
  package var segmentCount = 0
  /// The size of its segment files; transactions in two of them count twice.
  package var fileBytes: UInt64 = 0
  /// The transactions that pass the filter.
  package var tally = ReportTally()
  /// The highest sequence in any file, regardless of the filter.
  package var last = SequenceNumber.zero
  /// The times of its first and last transaction, in milliseconds.
  package var times: ClosedRange<UInt64>?
  /// The last transaction that it claims to have published; `nil` without a `peer.json`.
  package var published: SequenceNumber?
  /// What it claims to have imported, or had imported according to its last transaction; a missing
  /// entry is zero.
  package var known = Knowledge()
  /// The number of the peer that formerly had this identity.
  package var successor: Int?
  /// Whether another peer has declared that it is gone.
  package var isRetired = false
  /// What it knew before the first of its transactions that the report contains individually.
  package var base = Knowledge()

  package init(_ identity: PeerIdentity) { self.identity = identity }
}
