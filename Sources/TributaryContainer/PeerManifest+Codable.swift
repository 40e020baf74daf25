import TributaryCore

extension PeerManifest: Codable {
  private enum CodingKeys: String, CodingKey {
    case format, peer, name, content, sequence, receipt, times, former, retired, schema
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
    times = [:]
    let times = try values.decodeIfPresent([String: ManifestTime].self, forKey: .times) ?? [:]
    for (text, time) in times {
      guard let time = time.hybrid else { throw fail(.times, "a time is too large") }
      self.times[try peer(text, .times)] = time
    }
    former = [:]
    let former = try values.decodeIfPresent([String: ManifestFormer].self, forKey: .former) ?? [:]
    for (text, former) in former { self.former[try peer(text, .former)] = former }
    retired = Set(
      try values.decode([String].self, forKey: .retired).map { try peer($0, .retired) })
    schema = try values.decode(ManifestSchema.self, forKey: .schema)
  }

  /// Writes every key, but `times` and `former` only when there are some; sets and maps in
  /// ascending order.
  public func encode(to encoder: any Encoder) throws {
    var values = encoder.container(keyedBy: CodingKeys.self)
    try values.encode(format, forKey: .format)
    try values.encode(peer.description, forKey: .peer)
    try values.encode(name, forKey: .name)
    try values.encode(content.text, forKey: .content)
    try values.encode(sequence.rawValue, forKey: .sequence)
    let numbers = receipt.entries.map { ($0.peer.description, $0.sequence.rawValue) }
    try values.encode(Dictionary(uniqueKeysWithValues: numbers), forKey: .receipt)
    if !times.isEmpty {
      let times = times.map { ($0.key.description, ManifestTime($0.value)) }
      try values.encode(Dictionary(uniqueKeysWithValues: times), forKey: .times)
    }
    if !former.isEmpty {
      let former = former.map { ($0.key.description, $0.value) }
      try values.encode(Dictionary(uniqueKeysWithValues: former), forKey: .former)
    }
    try values.encode(retired.sorted().map(\.description), forKey: .retired)
    try values.encode(schema, forKey: .schema)
  }
}
