public import TributaryCore

/// An identity that a peer had before it found that others wrote under it too.
public struct ManifestFormer: Hashable, Sendable {
  /// The last transaction that stays with the former identity: the peer's own ones count from there.
  public var last: SequenceNumber
  /// The last one that the peer had written under it, and has issued again.
  public var reissued: SequenceNumber

  public init(last: SequenceNumber, reissued: SequenceNumber) {
    self.last = last
    self.reissued = reissued
  }
}

extension ManifestFormer: Codable {
  private enum CodingKeys: String, CodingKey { case last, reissued }

  public init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    func sequence(_ key: CodingKeys) throws -> SequenceNumber {
      let number = try values.decode(UInt64.self, forKey: key)
      guard number <= SequenceNumber.max.rawValue else {
        throw DecodingError.dataCorruptedError(
          forKey: key, in: values, debugDescription: "\(number) is no sequence")
      }
      return SequenceNumber(number)
    }
    last = try sequence(.last)
    reissued = try sequence(.reissued)
  }

  public func encode(to encoder: any Encoder) throws {
    var values = encoder.container(keyedBy: CodingKeys.self)
    try values.encode(last.rawValue, forKey: .last)
    try values.encode(reissued.rawValue, forKey: .reissued)
  }
}
