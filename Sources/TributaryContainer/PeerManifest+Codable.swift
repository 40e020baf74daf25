import TributaryCore

extension PeerManifest: Codable {
  private enum CodingKeys: String, CodingKey {
    case format, peer, name, content, sequence, receipt, times, former, adopted, corrections,
      retired, reissued
    case receiptHorizon, horizon, schema, formats
  }

  /// A peer as a key of the maps.
  private struct PeerKey: CodingKey {
    var stringValue: String
    var intValue: Int? { nil }

    init(_ peer: PeerIdentity) { stringValue = peer.description }
    init?(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
  }

  /// The key under which the decoder finds the one peer for which the maps are read. Without it, they are
  /// read for all peers.
  static let subject = CodingUserInfoKey(rawValue: "subject")!

  /// Reads and checks everything, the format first.
  ///
  /// - Throws: `ContainerError` with `newerFormat`, or `DecodingError`.
  package init(from decoder: any Decoder) throws {
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
        throw fail(key, "\(text.debugDescription) is not a peer")
      }
      return peer
    }
    formats = try values.decodeIfPresent(ReadableFormats.self, forKey: .formats)
    self.peer = try peer(values.decode(String.self, forKey: .peer), .peer)
    name = try values.decode(String.self, forKey: .name)
    do {
      content = try ContentName(values.decode(String.self, forKey: .content))
    } catch let error as ContainerError {
      throw fail(.content, error.message)
    }
    sequence = SequenceNumber(try values.decode(UInt64.self, forKey: .sequence))
    guard sequence <= .max else { throw fail(.sequence, "\(sequence) is too large") }
    /// Returns the entries of all peers, or of the requested one.
    func entries<Entry: Decodable>(_ key: CodingKeys) throws -> [PeerIdentity: Entry] {
      var entries: [PeerIdentity: Entry] = [:]
      if let only = decoder.userInfo[Self.subject] as? PeerIdentity {
        let all = try values.nestedContainer(keyedBy: PeerKey.self, forKey: key)
        entries[only] = try all.decodeIfPresent(Entry.self, forKey: PeerKey(only))
      } else {
        for (text, entry) in try values.decode([String: Entry].self, forKey: key) {
          entries[try peer(text, key)] = entry
        }
      }
      return entries
    }
    let receipts = try entries(.receipt).map { (peer, number: UInt64) in
      guard (1...SequenceNumber.max.rawValue).contains(number) else {
        throw fail(.receipt, "\(number) is not a sequence")
      }
      return Knowledge.Entry(peer: peer, sequence: SequenceNumber(number))
    }
    // In ascending order, each entry is appended in constant time.
    receipt = Knowledge(receipts.sorted { $0.peer < $1.peer })
    receiptHorizon = try values.decodeIfPresent(String.self, forKey: .receiptHorizon).map {
      guard $0.utf8.count == 16, let identifier = UInt64(lowerHex: $0.utf8) else {
        throw fail(.receiptHorizon, "\($0.debugDescription) is not a declaration")
      }
      return identifier
    }
    let times: [PeerIdentity: ManifestTime] =
      values.contains(.times) ? try entries(.times) : [:]
    self.times = try times.mapValues {
      guard let time = $0.hybrid else { throw fail(.times, "a time is too large") }
      return time
    }
    former = [:]
    let former = try values.decodeIfPresent([String: ManifestFormer].self, forKey: .former) ?? [:]
    for (text, former) in former { self.former[try peer(text, .former)] = former }
    adopted = [:]
    let adopted =
      try values.decodeIfPresent([String: ManifestAdoption].self, forKey: .adopted) ?? [:]
    for (text, adoption) in adopted { self.adopted[try peer(text, .adopted)] = adoption }
    corrections =
      try values.decodeIfPresent([KnowledgeCorrection].self, forKey: .corrections) ?? []
    retired = Set(
      try values.decode([String].self, forKey: .retired).map { try peer($0, .retired) })
    reissued = [:]
    let reissued = try values.decodeIfPresent([String: UInt64].self, forKey: .reissued) ?? [:]
    for (text, number) in reissued {
      guard (1...SequenceNumber.max.rawValue).contains(number) else {
        throw fail(.reissued, "\(number) is not a sequence")
      }
      self.reissued[try peer(text, .reissued)] = SequenceNumber(number)
    }
    horizon = try values.decodeIfPresent(ManifestHorizon.self, forKey: .horizon)
    schema = try values.decode(ManifestSchema.self, forKey: .schema)
  }

  /// Writes every key, except that `formats`, `receiptHorizon`, `times`, `former`, `adopted`, `corrections`,
  /// `reissued` and `horizon` are written only if they say something. Sets and maps are in ascending order.
  package func encode(to encoder: any Encoder) throws {
    var values = encoder.container(keyedBy: CodingKeys.self)
    try values.encode(format, forKey: .format)
    try values.encodeIfPresent(formats, forKey: .formats)
    try values.encode(peer.description, forKey: .peer)
    try values.encode(name, forKey: .name)
    try values.encode(content.text, forKey: .content)
    try values.encode(sequence.rawValue, forKey: .sequence)
    let numbers = receipt.entries.map { ($0.peer.description, $0.sequence.rawValue) }
    try values.encode(Dictionary(uniqueKeysWithValues: numbers), forKey: .receipt)
    try values.encodeIfPresent(receiptHorizon?.lowerHex, forKey: .receiptHorizon)
    if !times.isEmpty {
      let times = times.map { ($0.key.description, ManifestTime($0.value)) }
      try values.encode(Dictionary(uniqueKeysWithValues: times), forKey: .times)
    }
    if !former.isEmpty {
      let former = former.map { ($0.key.description, $0.value) }
      try values.encode(Dictionary(uniqueKeysWithValues: former), forKey: .former)
    }
    if !adopted.isEmpty {
      let adopted = adopted.map { ($0.key.description, $0.value) }
      try values.encode(Dictionary(uniqueKeysWithValues: adopted), forKey: .adopted)
    }
    if !corrections.isEmpty { try values.encode(corrections, forKey: .corrections) }
    try values.encode(retired.sorted().map(\.description), forKey: .retired)
    if !reissued.isEmpty {
      let reissued = reissued.map { ($0.key.description, $0.value.rawValue) }
      try values.encode(Dictionary(uniqueKeysWithValues: reissued), forKey: .reissued)
    }
    try values.encodeIfPresent(horizon, forKey: .horizon)
    try values.encode(schema, forKey: .schema)
  }
}
