/// A reason why something is not possible, and what the user can do about it.
public struct Refusal: Equatable, Sendable {
  /// What is refused, and why.
  public var message: String
  /// What the user can do about it; empty if unknown.
  @Worded public var remedy: String

  /// Makes a refusal from what is wrong and what to do.
  public init(_ message: String, remedy: String) {
    self.message = message
    self.remedy = remedy
  }
}

extension Refusal: CustomStringConvertible {
  public var description: String { remedy.isEmpty ? message : "\(message); \(remedy)" }
}
