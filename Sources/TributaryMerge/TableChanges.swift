/// The rows of a table that an import inserted, updated and deleted.
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

  /// The memory that the keys take, in bytes.
  package var byteCount: Int { inserted.byteCount + updated.byteCount + deleted.byteCount }

  public mutating func append(contentsOf other: TableChanges) {
    inserted.append(contentsOf: other.inserted)
    updated.append(contentsOf: other.updated)
    deleted.append(contentsOf: other.deleted)
  }
}
