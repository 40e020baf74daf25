public import TributaryCore

/// The reasons why a database cannot be attached, if there are several.
public struct AttachError: TributaryError {
  /// At least two refusals.
  public var refusals: [AttachRefusal]

  package init(refusals: [AttachRefusal]) { self.refusals = refusals }

  /// The parts of the error: those of all refusals, one after another.
  public var details: ErrorDetails {
    ErrorDetails(.refusals, refusals.map(\.description).joined(separator: "; also: "), remedy: "")
  }
}
