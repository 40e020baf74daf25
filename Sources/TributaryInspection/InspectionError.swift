internal import TributaryCore

/// Why a question about logs has no answer.
package struct InspectionError: Error, Sendable {
  package enum Code: String, Sendable {
    /// No segment has what was asked for.
    case missing
    /// What was asked for may be one of several.
    case ambiguous
    /// A file is in the way.
    case exists
    /// The place cannot take what is to be made.
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
      .missing, "no segment here is by a peer that begins with \(prefix)",
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
      remedy: "`tributary log list` shows which there are")
  }
}

extension InspectionError: CustomStringConvertible {
  package var description: String { "\(message); \(remedy)" }
}
