import TributaryContainer
import TributaryCore
import TributaryHorizon
import TributarySQLite
import TributaryStore

extension Exchange {
  /// Writes segments again, in the present form, that are above the horizon of an earlier declaration than
  /// the one that the store obeys: possibly no device has the earlier declaration any more. Segments below
  /// the horizon are about to be removed.
  ///
  /// The caller must have the turn. If it fails, the remaining segments are written the next time.
  ///
  /// - Parameters:
  ///   - readers: the record of who can read what is above a horizon.
  ///   - write: publishes transactions in a segment.
  /// - Returns: the new segments.
  func rewrite(
    _ readers: HorizonReaders?,
    _ write: (ClosedRange<SequenceNumber>, _ level: Int) throws -> SegmentTable.Segment
  ) throws -> [SegmentTable.Segment] {
    guard var readers, readers.isRewritingDue,
      let obeyed = try HorizonRecord.ifReadable(connection)?.state.obeyed
    else { return [] }
    let first = obeyed.horizon[own].next
    var written: [SegmentTable.Segment] = []
    for old in try SegmentTable(connection).all() where old.name.last >= first {
      // A lost or damaged segment is published again anyway, in the present form.
      guard let horizon = (try? segments(of: own).header(of: old.name))?.horizon,
        horizon.declaration != readers.declaration
      else { continue }
      var ranges = [old.name.first...old.name.last]
      if old.name.first < first {
        ranges = [old.name.first...SequenceNumber(first.rawValue - 1), first...old.name.last]
      }
      let new = try ranges.map { try write($0, old.level) }
      try connection.immediate { try replace(old, by: new) }
      written += new
    }
    readers.isRewritingDue = false
    try readers.write(to: connection)
    return written
  }

  private func replace(
    _ old: SegmentTable.Segment, by new: [SegmentTable.Segment]
  ) throws {
    let (table, withdrawals) = (SegmentTable(connection), WithdrawalTable(connection))
    try table.remove(old)
    try withdrawals.add(
      old.name.description, of: own, since: Int64(clamping: environment.clock.milliseconds()))
    for segment in new {
      try table.add(segment)
      try withdrawals.remove(segment.name.description, of: own)
    }
  }
}
