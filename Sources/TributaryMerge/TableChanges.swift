/// The rows of a table that an import inserted, updated and deleted.
public struct TableChanges: Sendable {
  /// The keys of the rows that are new.
  public var inserted = KeyList()
  /// The keys of the rows whose values have changed.
  public var updated = KeyList()
  /// The keys of the rows that are gone.
  public var deleted = KeyList()

  package init() {}

  /// Whether no row has changed.
  public var isEmpty: Bool { inserted.isEmpty && updated.isEmpty && deleted.isEmpty }

  /// Whether only the number of rows of some kind is kept, because there were too many to name.
  public var isForgotten: Bool {
    inserted.isForgotten || updated.isForgotten || deleted.isForgotten
  }

  /// The memory that the keys take, in bytes.
  package var byteCount: Int { inserted.byteCount + updated.byteCount + deleted.byteCount }

  package mutating func append(contentsOf other: TableChanges) {
    inserted.append(contentsOf: other.inserted)
    updated.append(contentsOf: other.updated)
    deleted.append(contentsOf: other.deleted)
  }

  /// Adds what happened to rows after everything that is recorded here, so that each row is in at most one
  /// list.
  ///
  /// - Parameters:
  ///   - later: the keys, each in the log format, and what happened to their rows.
  ///   - width: the number of values of a key.
  /// - Complexity: O(rows recorded here and later)
  mutating func follow(
    _ later: [(key: [UInt8], effect: RowApplier.Effect)], width: Int
  ) {
    let keys = Set(later.map(\.key))
    var effects: [[UInt8]: RowApplier.Effect] = [:]
    for key in updated.remove(keys) { effects[key] = .updated }
    for key in inserted.remove(keys) { effects[key] = .inserted }
    for key in deleted.remove(keys) { effects[key] = effects[key] == nil ? .deleted : .updated }
    for (key, effect) in later {
      effects[key] = (effects[key] ?? .none).followed(by: effect)
    }
    var told: Set<[UInt8]> = []
    for (key, _) in later where told.insert(key).inserted {
      key.withUnsafeBytes { append($0, effects[key] ?? .none, width: width) }
    }
  }

  /// Adds a row that is in no list.
  mutating func append(_ key: UnsafeRawBufferPointer, _ effect: RowApplier.Effect, width: Int) {
    switch effect {
    case .inserted: inserted.append(key, width: width)
    case .updated: updated.append(key, width: width)
    case .deleted: deleted.append(key, width: width)
    case .none: break
    }
  }
}

extension RowApplier.Effect {
  /// Returns the combination of this effect and a later one.
  fileprivate func followed(by later: Self) -> Self {
    switch (self, later) {
    case (_, .none): self
    case (.none, _), (.updated, .deleted), (.deleted, .deleted): later
    case (.inserted, .deleted): .none
    case (.inserted, _): .inserted
    case (.updated, _), (.deleted, _): .updated
    }
  }
}
