public import TributaryCore

/// What a peer says about itself in its `peer.json`; `Schemas/peer.schema.json` describes the file.
public struct PeerManifest: Equatable, Sendable {
  /// The version of the format the peer writes.
  public var format: ManifestFormat
  /// Who it is; the name of its directory says the same.
  public var peer: PeerIdentity
  /// For people, e.g. the name of the host.
  public var name: String
  /// The database it belongs to.
  public var content: ContentName
  /// The last transaction it has published.
  public var sequence: SequenceNumber
  /// What it has imported: others may forget what every receipt covers.
  public var receipt: Knowledge
  /// When those transactions of `receipt` were made, as far as it says: whose author has others under
  /// the same number finds out that it is not the only one with its identity.
  public var times: [PeerIdentity: HybridTime]
  /// The identities that it had before it found that.
  public var former: [PeerIdentity: ManifestFormer]
  /// What it has issued again for others, by the identities under which it has.
  public var adopted: [PeerIdentity: ManifestAdoption]
  /// What transactions that were published mean by names that were given up since, in the order in which
  /// it applies; of this peer and, as far as it has heard, of others.
  public var corrections: [KnowledgeCorrection]
  /// The peers it has declared to be gone.
  public var retired: Set<PeerIdentity>
  /// The schema of its database.
  public var schema: ManifestSchema

  /// The name of the file in the peer's directory.
  public static let fileName = "peer.json"

  /// A file with more bytes than this is no manifest.
  public static let maximumByteCount = 16 << 20

  /// Makes a manifest.
  public init(
    format: ManifestFormat = .current, peer: PeerIdentity, name: String, content: ContentName,
    sequence: SequenceNumber, receipt: Knowledge, times: [PeerIdentity: HybridTime] = [:],
    former: [PeerIdentity: ManifestFormer] = [:],
    adopted: [PeerIdentity: ManifestAdoption] = [:], corrections: [KnowledgeCorrection] = [],
    retired: Set<PeerIdentity> = [], schema: ManifestSchema
  ) {
    self.format = format
    self.peer = peer
    self.name = name
    self.content = content
    self.sequence = sequence
    self.receipt = receipt
    self.times = times
    self.former = former
    self.adopted = adopted
    self.corrections = corrections
    self.retired = retired
    self.schema = schema
  }
}
