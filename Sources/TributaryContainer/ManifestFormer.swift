import TributaryCore

/// An identity that a peer had before it found that another store also wrote under it.
package struct ManifestFormer: Hashable, Sendable {
  /// The last transaction that stays with the former identity. The peer numbers its own
  /// transactions from there.
  package var last: SequenceNumber
  /// The last transaction that the peer had written under the former identity and has reissued.
  package var reissued: SequenceNumber
  /// The time of the first transaction that it has reissued; `nil` if the peer does not state it.
  package var time: HybridTime?

  package init(last: SequenceNumber, reissued: SequenceNumber, time: HybridTime? = nil) {
    self.last = last
    self.reissued = reissued
    self.time = time
  }
}

extension ManifestFormer: Codable {
  private enum CodingKeys: String, CodingKey { case last, reissued, time }

  package init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    func sequence(_ key: CodingKeys) throws -> SequenceNumber {
      let number = try values.decode(UInt64.self, forKey: key)
      guard number <= SequenceNumber.max.rawValue else {
        throw DecodingError.dataCorruptedError(
          forKey: key, in: values, debugDescription: "\(number) is not a sequence")
      }
      return SequenceNumber(number)
    }
    last = try sequence(.last)
    reissued = try sequence(.reissued)
    time = try values.decodeIfPresent(ManifestTime.self, forKey: .time).map {
      guard let time = $0.hybrid else {
        throw DecodingError.dataCorruptedError(
          forKey: .time, in: values, debugDescription: "the time is too large")
      }
      return time
    }
  }

  package func encode(to encoder: any Encoder) throws {
    var values = encoder.container(keyedBy: CodingKeys.self)
    try values.encode(last.rawValue, forKey: .last)
    try values.encode(reissued.rawValue, forKey: .reissued)
    try values.encodeIfPresent(time.map(ManifestTime.init), forKey: .time)
  }
}
