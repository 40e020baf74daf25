public import TributaryCore

/// A fault of a store or a container, or something worth knowing, and what to do about it.
public struct Finding: Equatable, Sendable {
  /// How serious a finding is.
  public enum Severity: String, Sendable, CaseIterable {
    /// Worth knowing; no action is necessary.
    case note
    /// Something is stuck, or may soon be: a device is falling behind.
    case warning
    /// Something is not as it was written.
    case damage
  }

  /// The kind of finding, for decisions by programs. The texts are for people.
  public struct Code: RawRepresentable, Hashable, Sendable {
    /// The word for the code in output.
    public var rawValue: String

    /// Creates a code.
    public init(rawValue: String) { self.rawValue = rawValue }
  }

  /// What kind of finding it is.
  public var code: Code
  /// How serious it is.
  public var severity: Severity
  /// The device concerned; `nil` if no device or all devices are concerned.
  public var peer: PeerIdentity?
  /// The file or directory concerned.
  public var path: String?
  /// What was found and why, as a phrase without a full stop.
  public var explanation: String
  /// What to do about it, and where.
  @Worded public var remedy: String

  /// Creates a finding.
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
  /// One line: severity, finding, remedy.
  public var description: String { "\(severity.rawValue): \(line)" }

  /// One line: finding, remedy.
  var line: String { "\(explanation); \(remedy)" }
}
