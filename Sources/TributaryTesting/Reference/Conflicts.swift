internal import TributaryCore

/// Returns the writes of columns that have lost: no author who knew them wrote the column again or deleted
/// the row, and the row has another value now. Every change contains the columns of the key, by which it
/// names its row.
func lostWrites(in fold: Fold) -> [ReferenceConflict] {
  fold.events.keys.sorted().flatMap { identity -> [ReferenceConflict] in
    let table = fold.schema[identity.table]
    let row = fold.living[identity]
    let events = fold.events[identity]!
    if table.leavesNoConflicts { return [] }
    let lastDeletion = events.last { $0.change.operation == .delete }?.transaction.identity
    let conflicts = events.compactMap { event -> ReferenceConflict? in
      let author = event.transaction.identity
      let lost = event.change.allValues(table).filter { column, value in
        if table[column: column].policy == .last { return false }
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
        // Without a deletion, the row never lived, and there is no winner.
        return ReferenceConflict(
          table: table.name, key: event.change.key, kind: .delete, values: lost,
          winner: lastDeletion ?? author, loser: author)
      }
      let winner = lost.keys.map { row.writers[$0]! }.max { $0.stamp < $1.stamp }!
      return ReferenceConflict(
        table: table.name, key: table.key(of: row.values),
        kind: event.change.putsRow ? .insert : .update, values: lost, winner: winner, loser: author)
    }
    return joined(conflicts)
  }
}

/// Joins the conflicts that one transaction has lost in one row: it may have inserted two rows whose values
/// make them the same.
private func joined(_ conflicts: [ReferenceConflict]) -> [ReferenceConflict] {
  conflicts.reduce(into: []) { joined, conflict in
    let same = joined.firstIndex { $0.loser == conflict.loser && $0.kind == conflict.kind }
    guard let same else { return joined.append(conflict) }
    joined[same].values.merge(conflict.values) { $1 }
    if joined[same].winner.stamp < conflict.winner.stamp { joined[same].winner = conflict.winner }
  }
}

/// Returns conflicts for the held rows, and for the references that show NULL or a default.
func hiddenRows(in resolution: Resolution) -> [ReferenceConflict] {
  resolution.fold.living.keys.sorted().flatMap { identity in
    resolution.verdicts[identity] == .held
      ? [resolution.heldRow(identity)] : resolution.masks(of: identity).map(\.conflict)
  }
}

extension Resolution {
  private func conflict(
    over reference: Reference, of identity: ReferenceRowIdentity, isHeld: Bool,
    values: [String: Value]
  ) -> ReferenceConflict {
    let row = fold.living[identity]!
    let loser = row.references[reference.key]!.since
    return ReferenceConflict(
      table: identity.table, key: fold.schema[identity.table].key(of: row.values),
      kind: .foreignKey, isHeld: isHeld, values: values,
      winner: winner(over: reference, of: identity, asked: []) ?? loser, loser: loser)
  }

  /// Returns what removed the parent, or keeps it out of its table; `nil` if the logs do not say, or if the
  /// search runs in a circle.
  private func winner(
    over reference: Reference, of identity: ReferenceRowIdentity, asked: Set<ReferenceRowIdentity>
  ) -> ReferenceSide? {
    guard let parent = reference.parents.first else {
      let key = fold.schema[identity.table].foreignKeys[reference.key]
      return deletion(of: key, fold.living[identity]!.values)
    }
    let asked = asked.union([identity])
    if asked.contains(parent) { return nil }
    guard let next = references[parent]!.first(where: holds) else {
      return heldRow(parent).winner
    }
    return winner(over: next, of: parent, asked: asked)
  }

  /// Returns the deletion of the row that a reference means; `nil` if the row lives, never lived,
  /// or is not named by its primary key.
  private func deletion(
    of key: ReferenceForeignKey, _ row: ReferenceContents.Row
  ) -> ReferenceSide? {
    let parent = fold.schema[key.parent]
    let named = zip(key.parentColumns, key.columns)
    let values = parent.keyColumns.compactMap { part in
      named.first { $0.0.name == part.name }.map { $0.0.affinity.compared(row[$0.1]!) }
    }
    guard values.count == parent.keyColumns.count, values.count == key.columns.count else {
      return nil
    }
    let identity = parent.identity(values)
    if fold.living[identity] != nil { return nil }
    return fold.events[identity]?.last { $0.change.operation == .delete }?.transaction.identity
  }

  fileprivate func heldRow(_ identity: ReferenceRowIdentity) -> ReferenceConflict {
    let row = fold.living[identity]!
    if let reference = references[identity]!.first(where: holds) {
      return conflict(over: reference, of: identity, isHeld: true, values: row.values)
    }
    let table = fold.schema[identity.table]
    let dates = (row.claims.sorted { $0.key < $1.key } + row.references.sorted { $0.key < $1.key })
      .map(\.value.since)
    let rival = rival(of: identity)
    // A row that took part in a circle may be held without a rival. Then there is no winner.
    let loser = rival.map { row.claims[$0.index]!.since } ?? dates[0]
    let winner = rival.map { fold.living[$0.row]!.claims[$0.index]!.since } ?? loser
    return ReferenceConflict(
      table: table.name, key: table.key(of: row.values), kind: .unique, isHeld: true,
      values: row.values, winner: winner, loser: loser)
  }

  /// Returns what a visible row shows in place of its references to rows that are not visible.
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
