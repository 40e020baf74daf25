/// The kind of a failure, for programs to act on. Later versions may add further kinds.
public struct ErrorCode: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
  /// The word for the code in output.
  public var rawValue: String

  /// Makes a code.
  public init(rawValue: String) { self.rawValue = rawValue }

  /// The word for the code.
  public var description: String { rawValue }
}
