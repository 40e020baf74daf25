import TributaryCore

extension KnowledgeCorrection: Codable {
  private enum CodingKeys: String, CodingKey {
    case author, former, last, peer, from, through
  }

  package init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    func fail(_ key: CodingKeys, _ finding: String) -> DecodingError {
      .dataCorruptedError(forKey: key, in: values, debugDescription: finding)
    }
    func peer(_ key: CodingKeys) throws -> PeerIdentity {
      let text = try values.decode(String.self, forKey: key)
      guard let peer = PeerIdentity(hex: text) else {
        throw fail(key, "\(text.debugDescription) is not a peer")
      }
      return peer
    }
    func sequence(_ key: CodingKeys) throws -> SequenceNumber {
      let sequence = SequenceNumber(try values.decode(UInt64.self, forKey: key))
      guard sequence <= .max else { throw fail(key, "\(sequence) is too large") }
      return sequence
    }
    author = try peer(.author)
    renaming = try Renaming(
      former: peer(.former), last: sequence(.last), new: peer(.peer))
    first = try sequence(.from)
    last = try sequence(.through)
    guard .zero < first, first <= last else { throw fail(.through, "\(last) is before \(first)") }
    guard renaming.former != renaming.new, renaming.former != author else {
      throw fail(.former, "\(renaming.former) is not a name that was given up")
    }
  }

  package func encode(to encoder: any Encoder) throws {
    var values = encoder.container(keyedBy: CodingKeys.self)
    try values.encode(author.description, forKey: .author)
    try values.encode(renaming.former.description, forKey: .former)
    try values.encode(renaming.last.rawValue, forKey: .last)
    try values.encode(renaming.new.description, forKey: .peer)
    try values.encode(first.rawValue, forKey: .from)
    try values.encode(last.rawValue, forKey: .through)
  }
}
