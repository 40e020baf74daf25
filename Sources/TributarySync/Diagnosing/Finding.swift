public import TributaryCore

/// Something that is wrong with a store or a container, or worth knowing, and what to do about it.
public struct Finding: Equatable, Sendable {
  /// How much it matters.
  public enum Severity: String, Sendable, CaseIterable {
    /// Worth knowing; nothing need be done.
    case note
    /// Something does not go on, or may soon not: a device stays behind.
    case warning
    /// Something is not as it was written.
    case damage
  }

  /// What kind of finding it is, for decisions; the texts are for people.
  public struct Code: RawRepresentable, Hashable, Sendable {
    /// The word that stands for it in output.
    public var rawValue: String

    /// Names a code.
    public init(rawValue: String) { self.rawValue = rawValue }
  }

  public var code: Code
  public var severity: Severity
  /// The device that it is about; `nil` where it is about none, or all.
  public var peer: PeerIdentity?
  /// The file or directory that it is about.
  public var path: String?
  /// What was found and why it is so, as a phrase without a full stop.
  public var explanation: String
  /// What to do about it, and where.
  public var remedy: String

  /// Makes a finding.
  public init(
    _ code: Code, _ severity: Severity, peer: PeerIdentity? = nil, path: String? = nil,
    _ explanation: String, remedy: String
  ) {
    self.code = code
    self.severity = severity
    self.peer = peer
    self.path = path
    self.explanation = explanation
    self.remedy = remedy
  }
}

extension Finding: CustomStringConvertible {
  /// One line: severity, what was found, the remedy.
  public var description: String { "\(severity.rawValue): \(explanation); \(remedy)" }
}
