public import TributaryCore

/// The contents of a store at one moment, as a read or write saw them.
///
/// Passed to `write(basedOn:)`, it states what the writer had seen. Whatever came in between, through an
/// import or from another window of the same application, is concurrent with that write.
public struct Version: Hashable, Sendable {
  /// The last included transaction of every peer, including this store's own.
  package let knowledge: Knowledge
  /// The store whose version this is.
  public let peer: PeerIdentity

  init(peer: PeerIdentity, knowledge: Knowledge) {
    self.peer = peer
    self.knowledge = knowledge
  }
}

extension Version: LosslessStringConvertible {
  /// Consists of letters, digits, points and hyphens only: the store, then each peer with its last
  /// transaction.
  public var description: String {
    ([peer.description] + knowledge.entries.map { "\($0.peer).\($0.sequence)" })
      .joined(separator: "-")
  }

  /// Reads a version from what `description` returned; `nil` for anything else.
  public init?(_ description: String) {
    let parts = description.split(separator: "-", omittingEmptySubsequences: false)
    guard let peer = PeerIdentity(hex: String(parts[0])) else { return nil }
    var entries: [Knowledge.Entry] = []
    for part in parts.dropFirst() {
      let halves = part.split(separator: ".", omittingEmptySubsequences: false)
      guard halves.count == 2, let peer = PeerIdentity(hex: String(halves[0])),
        let number = UInt64(halves[1]), (1...SequenceNumber.max.rawValue).contains(number)
      else {
        return nil
      }
      entries.append(Knowledge.Entry(peer: peer, sequence: SequenceNumber(number)))
    }
    self.init(peer: peer, knowledge: Knowledge(entries))
    // Each version has only one spelling.
    guard self.description == description else { return nil }
  }
}

extension Version: Codable {
  /// Encodes the version as its text.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(description)
  }

  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    guard let version = Version(try container.decode(String.self)) else {
      throw DecodingError.dataCorruptedError(
        in: container, debugDescription: "this is not a version of a store")
    }
    self = version
  }
}
