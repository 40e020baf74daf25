import TributaryContainer
import TributaryCore
import TributaryFiles
import TributarySQLite
import TributaryStore

/// Settles segments in a store's own directory that it does not remember although they contain only what it
/// has written. They were published right before a power cut, restored by a carrier, or published by another
/// store that was once this one.
///
/// A larger segment replaces those whose transactions it contains, and a segment that is contained in a
/// larger one is removed. So the result does not depend on which process does this.
extension Exchange {
  /// Settles the segments in the listing.
  func settleStrays() throws {
    guard try !unknownSegments().isEmpty else { return }
    let turn = try PublishingTurn(for: connection.filePath)
    defer { withExtendedLifetime(turn) {} }
    guard try isCurrent() else { return }
    for file in try unknownSegments() {
      guard let bytes = try bytesIfOwn(file) else { continue }
      let stray = SegmentTable.Segment(
        name: file.name, bytes: bytes,
        payload: try OutboxSizes(connection).total(from: file.name.first, to: file.name.last),
        // The file does not state the level. With a wrong level, the file gets another name when it is
        // published again.
        level: environment.segments.level)
      try connection.immediate { try settle(stray) }
    }
  }

  /// Returns the unknown segments, the larger ones first.
  private func unknownSegments() throws -> [SegmentFile] {
    let table = SegmentTable(connection)
    let remembered = try table.remembered(of: own)
    let last = try table.last()
    return ownListing.segments.filter { $0.name.last <= last && !remembered.contains($0.name) }
      .sorted { ($0.name.first, $1.name.last) < ($1.name.first, $0.name.last) }
  }

  /// Returns the size of a file that contains only what the store has written; `nil` for any other file.
  private func bytesIfOwn(_ file: SegmentFile) throws -> UInt64? {
    let segments = segments(of: own)
    let result = try memory.agreement.compare(
      file, of: own, with: connection, upTo: file.name.last, in: segments)
    guard result == .agrees(upTo: file.name.last) else { return nil }
    return try segments.status(of: file.name)?.size
  }

  private func settle(_ stray: SegmentTable.Segment) throws {
    let table = SegmentTable(connection)
    let published = try table.all()
    let withdrawals = WithdrawalTable(connection)
    let since = Int64(clamping: environment.clock.milliseconds())
    if published.contains(where: { $0.replaces(stray) }) {
      return try withdrawals.add(stray.name.description, of: own, since: since)
    }
    let replaced = published.filter { stray.replaces($0) }
    guard !replaced.isEmpty else { return }
    for segment in replaced {
      try table.remove(segment)
      try withdrawals.add(segment.name.description, of: own, since: since)
    }
    try table.add(stray)
  }
}

extension SegmentTable.Segment {
  /// Whether this is the one to keep: it contains everything that the other one does, and more, or the same
  /// in a smaller file.
  fileprivate func replaces(_ other: Self) -> Bool {
    guard name.first <= other.name.first, other.name.last <= name.last else { return false }
    return name.first != other.name.first || name.last != other.name.last || bytes < other.bytes
  }
}
