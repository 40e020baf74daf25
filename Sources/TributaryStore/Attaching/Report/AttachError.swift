/// The reasons why a database cannot be attached, if there are several.
public struct AttachError: Error, Sendable {
  /// At least two refusals.
  public var refusals: [AttachRefusal]

  package init(refusals: [AttachRefusal]) { self.refusals = refusals }
}

extension AttachError: CustomStringConvertible {
  public var description: String { refusals.map(\.description).joined(separator: "; also: ") }
}
