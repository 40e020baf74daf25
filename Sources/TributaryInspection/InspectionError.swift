internal import TributaryCore

/// A question about logs without an answer.
package struct InspectionError: Error, Sendable {
  package enum Code: String, Sendable {
    /// No segment contains what was requested.
    case missing
    /// The request may mean one of several.
    case ambiguous
    /// A file is in the way.
    case exists
    /// The result cannot be put at the place.
    case place
  }

  package let code: Code
  package let message: String
  package let remedy: String

  package init(_ code: Code, _ message: String, remedy: String) {
    self.code = code
    self.message = message
    self.remedy = remedy
  }

  static func unknownPeer(_ prefix: String) -> InspectionError {
    InspectionError(
      .missing, "no segment here is from a peer whose identity begins with \(prefix)",
      remedy: "`tributary log list` names the peers")
  }

  static func ambiguousPeer(_ prefix: String, _ peers: [PeerIdentity]) -> InspectionError {
    InspectionError(
      .ambiguous,
      "\(prefix) may be any of \(peers.map(\.description).joined(separator: ", "))",
      remedy: "give more digits")
  }

  static func missingTransaction(_ sequence: SequenceNumber, of peer: PeerIdentity)
    -> InspectionError
  {
    InspectionError(
      .missing, "no segment here has transaction \(sequence) of \(peer)",
      remedy: "`tributary log list` shows the transactions that exist")
  }
}

extension InspectionError: CustomStringConvertible {
  package var description: String { "\(message); \(remedy)" }
}
