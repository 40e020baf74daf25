/// Something in a peer's directory that is not part of the format.
public struct IgnoredFile: Hashable, Sendable {
  /// Why it is there, as far as its name tells.
  public enum Reason: String, Hashable, Sendable, CaseIterable {
    /// Still being written or carried, or left behind by that.
    case temporary
    /// A second version that a carrier has kept under another name.
    case conflictCopy
    /// Stands for a file that the carrier has not brought yet.
    case placeholder
    /// Removed while somebody had it open; the network file system removes it later.
    case removedWhileOpen
    /// A directory, a link or a device where a file belongs, or the other way round.
    case wrongKind
    /// Kept by an operating system or a carrier for itself.
    case system
    /// None of these.
    case unknown
  }

  /// Relative to the directory listed.
  public var path: String
  /// Why it is ignored.
  public var reason: Reason

  /// Makes a finding.
  public init(path: String, reason: Reason) {
    self.path = path
    self.reason = reason
  }
}
