import TributaryCore

/// A peer's description of itself in its `peer.json`; `Schemas/peer.schema.json` describes the
/// file.
package struct PeerManifest: Equatable, Sendable {
  /// The version of the format that the peer writes.
  package var format: ManifestFormat
  /// The versions of files that the peer's program reads; `nil` if it does not say so.
  package var formats: ReadableFormats?
  /// The peer's identity; the name of its directory is the same.
  package var peer: PeerIdentity
  /// A readable name, e.g. the name of the host.
  package var name: String
  /// The content name of its database.
  package var content: ContentName
  /// The last transaction it has published.
  package var sequence: SequenceNumber
  /// What it has imported. Other peers may remove what every receipt covers.
  package var receipt: Knowledge
  /// The declaration above whose horizon `receipt` and `times` are given, if they are not complete: the one
  /// that the peer obeys.
  package var receiptHorizon: UInt64?
  /// The times of the last transactions in `receipt`, as far as they are stated. An author that has a
  /// different transaction under the same number learns from this that another store has the same identity.
  package var times: [PeerIdentity: HybridTime]
  /// The peer's former identities, which it left when it found that another store used them too.
  package var former: [PeerIdentity: ManifestFormer]
  /// What it has reissued on behalf of others, by the new identities.
  package var adopted: [PeerIdentity: ManifestAdoption]
  /// Corrections of what published transactions mean by names that were later given up, in the order in which
  /// they apply: those of this peer and, as far as it knows them, of others.
  package var corrections: [KnowledgeCorrection]
  /// The peers that it has declared gone.
  package var retired: Set<PeerIdentity>
  /// The retired peers whose remaining transactions it has reissued as its own, each with the last
  /// transaction that it has reissued.
  package var reissued: [PeerIdentity: SequenceNumber]
  /// What it states about horizons; `nil` if it states nothing.
  package var horizon: ManifestHorizon?
  /// The schema of its database.
  package var schema: ManifestSchema

  /// The name of the file in the peer's directory.
  package static let fileName = "peer.json"

  /// The largest size of a manifest: a larger file is not a manifest.
  package static let maximumByteCount = 16 << 20

  /// Makes a manifest.
  ///
  /// - Parameter format: if it is not given, the lowest version that says everything.
  package init(
    format: ManifestFormat? = nil, peer: PeerIdentity, name: String, content: ContentName,
    sequence: SequenceNumber, receipt: Knowledge, times: [PeerIdentity: HybridTime] = [:],
    former: [PeerIdentity: ManifestFormer] = [:],
    adopted: [PeerIdentity: ManifestAdoption] = [:], corrections: [KnowledgeCorrection] = [],
    retired: Set<PeerIdentity> = [], reissued: [PeerIdentity: SequenceNumber] = [:],
    horizon: ManifestHorizon? = nil, schema: ManifestSchema,
    formats: ReadableFormats? = nil
  ) {
    self.formats = formats
    self.format = format ?? (horizon == nil ? .current : .withHorizons)
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
    self.reissued = reissued
    self.horizon = horizon
    self.schema = schema
  }
}
