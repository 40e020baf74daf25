import TributaryCore
import TributaryHorizon
import TributaryLog

/// A declaration in the form of a manifest.
struct ManifestDeclaration {
  var declaration: Declaration

  init(_ declaration: Declaration) { self.declaration = declaration }
}

extension ManifestDeclaration: Codable {
  private enum CodingKeys: String, CodingKey { case id, weight, members, horizon }
  private enum EntryKeys: String, CodingKey { case peer, sequence, time }

  init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    func fail(_ key: CodingKeys, _ finding: String) -> DecodingError {
      .dataCorruptedError(forKey: key, in: values, debugDescription: finding)
    }
    func peer(_ text: String, _ key: CodingKeys) throws -> PeerIdentity {
      guard let peer = PeerIdentity(hex: text) else {
        throw fail(key, "\(text.debugDescription) is not a peer")
      }
      return peer
    }
    let weight = try values.decode(UInt64.self, forKey: .weight)
    guard 1...Declaration.maximumWeight ~= weight else {
      throw fail(.weight, "\(weight) is not a weight")
    }
    let members = try values.decode([String].self, forKey: .members).map {
      try peer($0, .members)
    }
    guard !members.isEmpty, members == Set(members).sorted() else {
      throw fail(.members, "the members do not ascend")
    }
    var horizon = try values.nestedUnkeyedContainer(forKey: .horizon)
    var entries: [BaselineHeader.Entry] = []
    while !horizon.isAtEnd {
      let entry = try horizon.nestedContainer(keyedBy: EntryKeys.self)
      let number = try entry.decode(UInt64.self, forKey: .sequence)
      let time = try entry.decode(ManifestTime.self, forKey: .time).hybrid
      guard 1...SequenceNumber.max.rawValue ~= number, let time else {
        throw fail(.horizon, "a sequence or a time is out of range")
      }
      entries.append(
        BaselineHeader.Entry(
          peer: try peer(entry.decode(String.self, forKey: .peer), .horizon),
          sequence: SequenceNumber(number), time: time))
    }
    declaration = Declaration(weight: weight, members: members, entries: entries)
    guard declaration.horizonEntries == entries else {
      throw fail(.horizon, "the peers do not ascend")
    }
    let id = try values.decode(String.self, forKey: .id)
    guard id == declaration.identifier.lowerHex else {
      throw fail(.id, "\(id.debugDescription) instead of \(declaration.identifier.lowerHex)")
    }
  }

  func encode(to encoder: any Encoder) throws {
    var values = encoder.container(keyedBy: CodingKeys.self)
    try values.encode(declaration.identifier.lowerHex, forKey: .id)
    try values.encode(declaration.weight, forKey: .weight)
    try values.encode(declaration.members.map(\.description), forKey: .members)
    var horizon = values.nestedUnkeyedContainer(forKey: .horizon)
    for entry in declaration.horizonEntries {
      var values = horizon.nestedContainer(keyedBy: EntryKeys.self)
      try values.encode(entry.peer.description, forKey: .peer)
      try values.encode(entry.sequence.rawValue, forKey: .sequence)
      try values.encode(ManifestTime(entry.time), forKey: .time)
    }
  }
}
