/// Why a database cannot be attached, where there are several reasons.
public struct AttachError: Error, Sendable {
  /// Two at least.
  public var refusals: [AttachRefusal]

  public init(refusals: [AttachRefusal]) { self.refusals = refusals }
}

extension AttachError: CustomStringConvertible {
  public var description: String { refusals.map(\.description).joined(separator: "; also: ") }
}
