import TributaryCore

extension PeerManifest: Codable {
  private enum CodingKeys: String, CodingKey {
    case format, peer, name, content, sequence, receipt, retired, schema
  }

  /// Reads and checks everything, the format first.
  ///
  /// - Throws: `ContainerError` with `newerFormat`, or `DecodingError`.
  public init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    format = try values.decode(ManifestFormat.self, forKey: .format)
    guard format.major <= ManifestFormat.current.major else {
      throw ContainerError.newer(Self.fileName, format.description)
    }
    func fail(_ key: CodingKeys, _ finding: String) -> DecodingError {
      .dataCorruptedError(forKey: key, in: values, debugDescription: finding)
    }
    func peer(_ text: String, _ key: CodingKeys) throws -> PeerIdentity {
      guard let peer = PeerIdentity(hex: text) else {
        throw fail(key, "\(text.debugDescription) is no peer")
      }
      return peer
    }
    self.peer = try peer(values.decode(String.self, forKey: .peer), .peer)
    name = try values.decode(String.self, forKey: .name)
    do {
      content = try ContentName(values.decode(String.self, forKey: .content))
    } catch let error as ContainerError {
      throw fail(.content, error.message)
    }
    sequence = SequenceNumber(try values.decode(UInt64.self, forKey: .sequence))
    guard sequence <= .max else { throw fail(.sequence, "\(sequence) is too large") }
    var entries: [Knowledge.Entry] = []
    for (text, number) in try values.decode([String: UInt64].self, forKey: .receipt) {
      guard (1...SequenceNumber.max.rawValue).contains(number) else {
        throw fail(.receipt, "\(number) is no sequence")
      }
      entries.append(.init(peer: try peer(text, .receipt), sequence: SequenceNumber(number)))
    }
    // In order, each is appended in constant time.
    receipt = Knowledge(entries.sorted { $0.peer < $1.peer })
    retired = Set(
      try values.decode([String].self, forKey: .retired).map { try peer($0, .retired) })
    schema = try values.decode(ManifestSchema.self, forKey: .schema)
  }

  /// Writes every key, also those of empty values; sets and maps in ascending order.
  public func encode(to encoder: any Encoder) throws {
    var values = encoder.container(keyedBy: CodingKeys.self)
    try values.encode(format, forKey: .format)
    try values.encode(peer.description, forKey: .peer)
    try values.encode(name, forKey: .name)
    try values.encode(content.text, forKey: .content)
    try values.encode(sequence.rawValue, forKey: .sequence)
    let numbers = receipt.entries.map { ($0.peer.description, $0.sequence.rawValue) }
    try values.encode(Dictionary(uniqueKeysWithValues: numbers), forKey: .receipt)
    try values.encode(retired.sorted().map(\.description), forKey: .retired)
    try values.encode(schema, forKey: .schema)
  }
}
