public import FoundationEssentials

/// A condition for the items that a query finds.
public indirect enum MetadataPredicate: Hashable, Sendable {
  /// All items.
  case all
  /// Items whose names match.
  case matching(NamePattern)
  /// Items of one kind.
  case kind(MetadataItem.Kind)
  /// Items with sizes in this range, in bytes; `nil` means no limit.
  case size(from: UInt64? = nil, through: UInt64? = nil)
  /// Items last changed in this period; `nil` means no limit.
  case modified(from: Date? = nil, through: Date? = nil)
  /// Managed documents with an attribute whose value matches.
  case attributeMatching(name: String, NamePattern)
  /// Managed documents with a content name.
  case contentName(String)
  /// Items for which all of these are true.
  case and([MetadataPredicate])
  /// Items for which one of these is true.
  case or([MetadataPredicate])
  /// All other items.
  case not(MetadataPredicate)

  /// Returns a predicate for items whose names match a pattern such as `*.txt`.
  ///
  /// - Throws: `CoordinationError` with the code `invalidPattern`.
  public static func name(
    _ pattern: String, isCaseInsensitive: Bool = false
  ) throws(CoordinationError) -> MetadataPredicate {
    .matching(try NamePattern(pattern, isCaseInsensitive: isCaseInsensitive))
  }

  /// Returns a predicate for managed documents with an attribute whose value matches a pattern, as
  /// for names.
  ///
  /// - Throws: `CoordinationError` with the code `invalidPattern`.
  public static func attribute(
    _ name: String, _ pattern: String = "*", isCaseInsensitive: Bool = false
  ) throws(CoordinationError) -> MetadataPredicate {
    .attributeMatching(
      name: name, try NamePattern(pattern, isCaseInsensitive: isCaseInsensitive))
  }

  /// Whether an item satisfies the condition.
  public func matches(_ item: MetadataItem) -> Bool {
    switch self {
    case .all: true
    case .matching(let pattern): pattern.matches(item.name)
    case .kind(let kind): item.kind == kind
    case .size(let lower, let upper):
      item.size >= lower ?? 0 && item.size <= upper ?? .max
    case .modified(let lower, let upper):
      item.contentModificationDate >= lower ?? .distantPast
        && item.contentModificationDate <= upper ?? .distantFuture
    case .attributeMatching(let name, let pattern):
      item.attributes[name].map(pattern.matches) ?? false
    case .contentName(let name): item.contentName == name
    case .and(let all): all.allSatisfy { $0.matches(item) }
    case .or(let any): any.contains { $0.matches(item) }
    case .not(let other): !other.matches(item)
    }
  }
}
