internal import TributaryCore

/// The writes of columns that have lost: nobody who knew them wrote the column again or deleted the
/// row, and the row has another value now. Every change gives the columns of the key, by which it
/// names its row.
func lostWrites(in fold: Fold) -> [ReferenceConflict] {
  fold.events.keys.sorted().flatMap { identity in
    let table = fold.schema[identity.table]
    let row = fold.living[identity]
    let events = fold.events[identity]!
    let lastDeletion = events.last { $0.change.operation == .delete }?.transaction.identity
    return events.compactMap { event -> ReferenceConflict? in
      let author = event.transaction.identity
      let lost = event.change.allValues(table).filter { column, value in
        if let row {
          if table[column: column].policy != .later { return false }
          if row.values[column]!.isIdentical(to: value) { return false }
        }
        return !events.contains { other in
          other.transaction.identity != author && other.transaction.knows(author)
            && (other.change.operation == .delete || table.isKey(column)
              || other.change.values[column] != nil)
        }
      }
      if lost.isEmpty { return nil }
      guard let row else {
        // Without a deletion the row never lived, and nobody has won.
        return ReferenceConflict(
          table: table.name, key: event.change.key, kind: .delete, values: lost,
          winner: lastDeletion ?? author, loser: author)
      }
      let winner = lost.keys.map { row.writers[$0]! }.max { $0.stamp < $1.stamp }!
      return ReferenceConflict(
        table: table.name, key: table.key(of: row.values),
        kind: event.change.putsRow ? .insert : .update, values: lost, winner: winner, loser: author)
    }
  }
}

/// The rows that are held, and the references that show NULL or a default.
func hiddenRows(in resolution: Resolution) -> [ReferenceConflict] {
  resolution.fold.living.keys.sorted().flatMap { identity in
    resolution.verdicts[identity] == .held
      ? [resolution.heldRow(identity)] : resolution.masks(of: identity).map(\.conflict)
  }
}

extension Resolution {
  /// - Parameter asked: the rows whose winners are being looked for.
  private func conflict(
    over reference: Reference, of identity: ReferenceRowIdentity, isHeld: Bool,
    values: [String: Value], asked: Set<ReferenceRowIdentity> = []
  ) -> ReferenceConflict {
    let table = fold.schema[identity.table]
    let row = fold.living[identity]!
    let loser = row.references[reference.key]!.since
    let winner: ReferenceSide?
    if let parent = reference.parents.first {
      // Who keeps the parent out; where that leads in a circle, its last row stands for itself.
      let asked = asked.union([identity])
      winner = asked.contains(parent) ? nil : heldRow(parent, asked: asked).winner
    } else {
      winner = deletion(of: table.foreignKeys[reference.key], row.values)
    }
    return ReferenceConflict(
      table: table.name, key: table.key(of: row.values), kind: .foreignKey, isHeld: isHeld,
      values: values, winner: winner ?? loser, loser: loser)
  }

  /// The deletion of the row that a reference means; `nil` when it lives, never lived, or is not
  /// named by its primary key.
  private func deletion(
    of key: ReferenceForeignKey, _ row: ReferenceContents.Row
  ) -> ReferenceSide? {
    let parent = fold.schema[key.parent]
    let named = zip(key.parentColumns.map(\.name), key.columns)
    let values = parent.keyColumns.compactMap { part in
      named.first { $0.0 == part.name }.map { row[$0.1]! }
    }
    guard values.count == parent.keyColumns.count, values.count == key.columns.count else {
      return nil
    }
    let identity = parent.identity(values)
    if fold.living[identity] != nil { return nil }
    return fold.events[identity]?.last { $0.change.operation == .delete }?.transaction.identity
  }

  fileprivate func heldRow(
    _ identity: ReferenceRowIdentity, asked: Set<ReferenceRowIdentity> = []
  ) -> ReferenceConflict {
    let row = fold.living[identity]!
    if let reference = references[identity]!.first(where: holds) {
      return conflict(over: reference, of: identity, isHeld: true, values: row.values, asked: asked)
    }
    let table = fold.schema[identity.table]
    let dates = (row.claims.sorted { $0.key < $1.key } + row.references.sorted { $0.key < $1.key })
      .map(\.value.since)
    let rival = rival(of: identity)
    // A row that took part in a circle may be held without a rival: nobody has won then.
    let loser = rival.map { row.claims[$0.index]!.since } ?? dates[0]
    let winner = rival.map { fold.living[$0.row]!.claims[$0.index]!.since } ?? loser
    return ReferenceConflict(
      table: table.name, key: table.key(of: row.values), kind: .unique, isHeld: true,
      values: row.values, winner: winner, loser: loser)
  }

  /// What a visible row shows instead of its references to rows that are not visible.
  func masks(
    of identity: ReferenceRowIdentity
  ) -> [(shown: [String: Value], conflict: ReferenceConflict)] {
    let table = fold.schema[identity.table]
    let row = fold.living[identity]!
    return references[identity]!.filter { !hasVisibleParent($0) }.map { reference in
      let key = table.foreignKeys[reference.key]
      let hidden = row.values.filter { key.columns.contains($0.key) }
      let shown = key.columns.map {
        ($0, key.onDelete == .setNull ? .null : table[column: $0].defaultValue)
      }
      return (
        Dictionary(uniqueKeysWithValues: shown),
        conflict(over: reference, of: identity, isHeld: false, values: hidden)
      )
    }
  }
}
