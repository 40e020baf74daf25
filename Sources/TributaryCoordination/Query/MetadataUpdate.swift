/// What has changed among the items of a query. A moved item counts as removed and added.
public struct MetadataUpdate: Hashable, Sendable {
  private var addedByPath = ExactDictionary<MetadataItem>()
  private var changedByPath = ExactDictionary<MetadataItem>()
  private var removedByPath = ExactDictionary<MetadataItem>()

  /// New items, sorted by path.
  public var added: [MetadataItem] { Self.sorted(addedByPath) }
  /// Changed items, sorted by path.
  public var changed: [MetadataItem] { Self.sorted(changedByPath) }
  /// Removed items in their last known state, sorted by path.
  public var removed: [MetadataItem] { Self.sorted(removedByPath) }

  /// Whether nothing has changed.
  public var isEmpty: Bool {
    addedByPath.isEmpty && changedByPath.isEmpty && removedByPath.isEmpty
  }

  package init() {}

  private static func sorted(_ items: ExactDictionary<MetadataItem>) -> [MetadataItem] {
    items.values.sorted { ExactText($0.path) < ExactText($1.path) }
  }

  /// Notes the former and the current state of an item; `nil` means that there is none.
  package mutating func note(_ path: String, from old: MetadataItem?, to new: MetadataItem?) {
    guard let new else {
      guard let old, addedByPath.removeValue(forKey: path) == nil else { return }
      changedByPath[path] = nil
      removedByPath[path] = old
      return
    }
    let isNew = old == nil && removedByPath.removeValue(forKey: path) == nil
    if isNew || addedByPath[path] != nil {
      addedByPath[path] = new
    } else {
      changedByPath[path] = new
    }
  }

  /// Merges a later update into this one.
  package mutating func append(_ later: MetadataUpdate) {
    for (path, item) in later.removedByPath.pairs { note(path, from: item, to: nil) }
    for (path, item) in later.addedByPath.pairs { note(path, from: nil, to: item) }
    for (path, item) in later.changedByPath.pairs { note(path, from: item, to: item) }
  }

  /// Applies this update to results.
  package func apply(to results: inout ExactDictionary<MetadataItem>) {
    for path in removedByPath.keys { results[path] = nil }
    results.merge(addedByPath)
    results.merge(changedByPath)
  }
}
