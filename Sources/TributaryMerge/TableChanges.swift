/// Which rows of a table an import inserted, updated and deleted.
public struct TableChanges: Sendable {
  public var inserted = KeyList()
  public var updated = KeyList()
  public var deleted = KeyList()

  public init() {}

  public var isEmpty: Bool { inserted.isEmpty && updated.isEmpty && deleted.isEmpty }

  /// Whether there were so many of a kind that only their number is left.
  public var isForgotten: Bool {
    inserted.isForgotten || updated.isForgotten || deleted.isForgotten
  }

  /// How much memory the keys take.
  package var byteCount: Int { inserted.byteCount + updated.byteCount + deleted.byteCount }

  public mutating func append(contentsOf other: TableChanges) {
    inserted.append(contentsOf: other.inserted)
    updated.append(contentsOf: other.updated)
    deleted.append(contentsOf: other.deleted)
  }
}
