import TributaryCore

/// One thing in which the schema of another device differs from the one here.
public struct SchemaDifference: Hashable, Sendable {
  /// The table or view concerned; `nil` if it is not known.
  public var table: String?
  /// What differs, as a phrase.
  public var text: String
  /// Whether a store that follows its peers' schemas adopts it, because it only adds something.
  public var isAdditive: Bool

  package init(table: String?, _ text: String, isAdditive: Bool) {
    self.table = table
    self.text = text
    self.isAdditive = isAdditive
  }
}

extension SchemaDifference: CustomStringConvertible {
  public var description: String { text }
}
