/// A part of a database that is not shared, or that some devices cannot make.
public struct LeftOut: Hashable, Sendable {
  public enum Kind: String, Sendable {
    case table
    case virtualTable = "virtual table"
    /// A table in which a virtual table stores its contents.
    case shadowTable = "shadow table"
    case view, trigger, index
  }

  public var name: String
  public var kind: Kind
  /// The reason, as a clause.
  public var reason: String

  public init(_ name: String, _ kind: Kind, _ reason: String) {
    self.name = name
    self.kind = kind
    self.reason = reason
  }
}

extension LeftOut: CustomStringConvertible {
  public var description: String { "\(kind.rawValue) \(name): \(reason)" }
}
