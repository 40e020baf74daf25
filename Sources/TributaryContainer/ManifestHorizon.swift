import TributaryCore
import TributaryHorizon
import TributaryLog

/// What a peer states about horizons; `docs/space.md` explains what follows from it.
package struct ManifestHorizon: Hashable, Sendable {
  /// The last transaction that it had made when it wrote its receipt, published or not.
  package var made: SequenceNumber
  /// The declaration that it obeys, by its identifier. A baseline has the rest of it.
  package var obeyed: UInt64?
  /// The declaration below whose horizon it has forgotten, or with whose baseline it has begun.
  package var settled: UInt64?
  /// What it has promised since, by identifier, in the order of declarations.
  package var promises: [UInt64]
  /// The last declaration that it has promised, its own proposal or a copy, while that is neither declared nor void.
  package var proposal: Declaration?
  /// A day on which it has synchronised, in days of UTC since 1970; zero if it states none. The peer updates
  /// it occasionally, so that a peer with nothing else to say is not mistaken for one that is gone.
  package var day: UInt64

  package init(
    made: SequenceNumber, obeyed: UInt64? = nil, settled: UInt64? = nil, promises: [UInt64] = [],
    proposal: Declaration? = nil, day: UInt64 = 0
  ) {
    self.day = day
    self.made = made
    self.obeyed = obeyed
    self.settled = settled
    self.promises = promises
    self.proposal = proposal
  }
}

extension ManifestHorizon: Codable {
  /// The last day of the clocks in logs.
  private static let maximumDay: UInt64 = (1 << 48) / 86_400_000

  private enum CodingKeys: String, CodingKey { case made, obeys, settled, promises, proposal, day }

  package init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    func fail(_ key: CodingKeys, _ finding: String) -> DecodingError {
      .dataCorruptedError(forKey: key, in: values, debugDescription: finding)
    }
    func identifier(_ text: String, _ key: CodingKeys) throws -> UInt64 {
      guard text.utf8.count == 16, let number = UInt64(lowerHex: text.utf8) else {
        throw fail(key, "\(text.debugDescription) is not a declaration")
      }
      return number
    }
    let number = try values.decode(UInt64.self, forKey: .made)
    guard number <= SequenceNumber.max.rawValue else {
      throw fail(.made, "\(number) is not a sequence")
    }
    made = SequenceNumber(number)
    obeyed = try values.decodeIfPresent(String.self, forKey: .obeys).map {
      try identifier($0, .obeys)
    }
    settled = try values.decodeIfPresent(String.self, forKey: .settled).map {
      try identifier($0, .settled)
    }
    promises = try (values.decodeIfPresent([String].self, forKey: .promises) ?? []).map {
      try identifier($0, .promises)
    }
    proposal = try values.decodeIfPresent(ManifestDeclaration.self, forKey: .proposal)?.declaration
    day = try values.decodeIfPresent(UInt64.self, forKey: .day) ?? 0
    guard day <= Self.maximumDay else { throw fail(.day, "\(day) is not a day") }
  }

  /// Writes only the keys that say something.
  package func encode(to encoder: any Encoder) throws {
    var values = encoder.container(keyedBy: CodingKeys.self)
    try values.encode(made.rawValue, forKey: .made)
    try values.encodeIfPresent(obeyed?.lowerHex, forKey: .obeys)
    try values.encodeIfPresent(settled?.lowerHex, forKey: .settled)
    if !promises.isEmpty { try values.encode(promises.map(\.lowerHex), forKey: .promises) }
    try values.encodeIfPresent(proposal.map(ManifestDeclaration.init), forKey: .proposal)
    if day > 0 { try values.encode(day, forKey: .day) }
  }
}
