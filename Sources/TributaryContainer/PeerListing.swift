public import TributaryCore
public import TributaryFiles

/// What a peer's directory holds, by its names alone, and how to read it.
public struct PeerListing: Equatable, Sendable {
  /// Whose directory it is.
  public var peer: PeerIdentity
  /// The files with the name of a segment, in ascending order.
  public var segments: [SegmentFile] = []
  /// Names in the log that end like a segment's and are none: perhaps copies of segments, to be
  /// judged by their contents. In ascending order.
  public var misnamed: [String] = []
  /// Everything else, paths relative to the peer's directory, in ascending order.
  public var ignored: [IgnoredFile] = []
  /// Whether there is a `peer.json`.
  public var hasManifest = false
  /// What its transactions mean by names that were given up; empty in what a scan has found.
  public var corrections: [KnowledgeCorrection] = []
  /// Why the listing is not complete; `nil` when it is.
  public var failure: FileError?

  /// An empty listing.
  public init(peer: PeerIdentity) { self.peer = peer }
}
