import TributaryCore

/// A branch of another identity's log that had no owner and that the peer has reissued on its behalf, under
/// an identity derived from the branch.
package struct ManifestAdoption: Hashable, Sendable {
  /// The identity under which the branch was written.
  package var former: PeerIdentity
  /// The part that was reissued, described as a store that has left that identity would describe it.
  package var range: ManifestFormer

  package init(former: PeerIdentity, range: ManifestFormer) {
    self.former = former
    self.range = range
  }
}

extension ManifestAdoption: Codable {
  private enum CodingKeys: String, CodingKey { case former }

  package init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    let text = try values.decode(String.self, forKey: .former)
    guard let former = PeerIdentity(hex: text) else {
      throw DecodingError.dataCorruptedError(
        forKey: .former, in: values, debugDescription: "\(text.debugDescription) is not a peer")
    }
    self.former = former
    range = try ManifestFormer(from: decoder)
  }

  package func encode(to encoder: any Encoder) throws {
    var values = encoder.container(keyedBy: CodingKeys.self)
    try values.encode(former.description, forKey: .former)
    try range.encode(to: encoder)
  }
}
