/// A part of a database that is not shared, or that some devices cannot create.
package struct LeftOut: Hashable, Sendable {
  package enum Kind: String, Sendable {
    case table
    case virtualTable = "virtual table"
    /// A table in which a virtual table stores its contents.
    case shadowTable = "shadow table"
    case view, trigger, index
  }

  package var name: String
  package var kind: Kind
  /// The reason, as a clause.
  package var reason: String

  package init(_ name: String, _ kind: Kind, _ reason: String) {
    self.name = name
    self.kind = kind
    self.reason = reason
  }
}

extension LeftOut: CustomStringConvertible {
  package var description: String { "\(kind.rawValue) \(name): \(reason)" }
}
