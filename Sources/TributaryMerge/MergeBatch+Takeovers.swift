import TributaryCore
import TributaryLog
import TributaryStore

/// An update that sets nothing, which announces that an insert takes the number of a held row.
struct TakeoverAnnouncement {
  var by: Stamp
  var row: SharedNumber
}

extension MergeBatch {
  /// Whether the previous change announces that an insert takes the number of a held row.
  @inline(__always)
  func takesOver(_ insert: UnsafeRawBufferPointer, _ mapping: Int) -> Bool {
    if let last = rows.operations.last, last.operation.putsRow { return false }
    return wasAnnounced(insert, mapping)
  }

  private func wasAnnounced(_ insert: UnsafeRawBufferPointer, _ mapping: Int) -> Bool {
    guard let announced = announcement,
      announced.by == stamp, announced.row.table == Int(mappings[mapping].tableNumber)
    else { return false }
    // Anything that cannot be read here cannot be read elsewhere either, and is reported there. A row that
    // cannot be read is refused where it is added.
    return (try? mappings[mapping].rowNumber(.insert, insert)) == announced.row.number
  }

  /// What the last change announces, if it announces anything.
  var announcement: TakeoverAnnouncement? {
    guard let last = rows.operations.last(where: { !$0.takesAway }) else {
      return lastAnnouncement
    }
    let mapping = mappings[Int(last.mapping)]
    guard last.operation == .update, roots.generates[Int(mapping.tableNumber)],
      // Anything that cannot be read is not an announcement; it is reported elsewhere.
      let number = try? mapping.rowNumberOfEmptyUpdate(rows.bytes(last.logged))
    else { return nil }
    return TakeoverAnnouncement(
      by: last.stamp, row: SharedNumber(table: Int(mapping.tableNumber), number: number))
  }
}
