public import TributaryCore

/// A branch of another identity's log that nobody owned, and that the peer has issued again for it under an
/// identity that follows from the branch.
public struct ManifestAdoption: Hashable, Sendable {
  /// Under which identity it was written.
  public var former: PeerIdentity
  /// What of it was issued again, as by a store that had left that identity.
  public var range: ManifestFormer

  public init(former: PeerIdentity, range: ManifestFormer) {
    self.former = former
    self.range = range
  }
}

extension ManifestAdoption: Codable {
  private enum CodingKeys: String, CodingKey { case former }

  public init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    let text = try values.decode(String.self, forKey: .former)
    guard let former = PeerIdentity(hex: text) else {
      throw DecodingError.dataCorruptedError(
        forKey: .former, in: values, debugDescription: "\(text.debugDescription) is no peer")
    }
    self.former = former
    range = try ManifestFormer(from: decoder)
  }

  public func encode(to encoder: any Encoder) throws {
    var values = encoder.container(keyedBy: CodingKeys.self)
    try values.encode(former.description, forKey: .former)
    try range.encode(to: encoder)
  }
}
