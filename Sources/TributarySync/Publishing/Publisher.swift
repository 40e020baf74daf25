import TributaryContainer
import TributaryCore
import TributaryFiles
import TributaryLog
import TributarySQLite
import TributaryStore

/// Writes a store's own transactions into its directory of the container.
///
/// Reads them from the outbox, so that it may fail for weeks: what is not there yet is written next
/// time.
struct Publisher {
  let identity: StoreIdentity
  let connection: Connection
  let environment: Environment
  let directory: ContentDirectory
  let log: WriteAheadLog

  private var segments: SegmentStore {
    SegmentStore(directory, peer: identity.peer, using: environment.fileSystem)
  }

  /// Publishes what no segment holds.
  ///
  /// - Parameter lookingForLosses: whether also, again, what has disappeared from the container or
  ///   was cut short there. It looks at every segment.
  /// - Parameter verifying: whether each of them is also read and compared with its name.
  /// - Throws: `ContainerError`, `FileError`; segments written before stay.
  func publish(
    lookingForLosses: Bool = true, verifying: Bool = false
  ) throws -> SyncReport.Published {
    var published = SyncReport.Published()
    let table = SegmentTable(connection)
    var groups: [ClosedRange<UInt64>] = []
    if lookingForLosses {
      groups = try losses(table, verifying).map { $0.first.rawValue...$0.last.rawValue }
    }
    let outbox = Outbox(connection)
    guard try !groups.isEmpty || table.last() < outbox.last()?.sequence ?? .zero else {
      return published
    }

    let turn = try PublishingTurn(for: connection.filePath)
    defer { withExtendedLifetime(turn) {} }
    // Whoever had the turn before may have published it, or have given the store another identity.
    guard try StoreIdentity(reading: connection).peer == identity.peer,
      try CopyTable(connection).first() == nil
    else { return published }
    let known = try table.last()
    if let last = try outbox.last()?.sequence, known < last {
      groups += try group(from: known.next, to: last)
    }
    guard !groups.isEmpty else { return published }

    // Nobody may see a commit that a power cut could still take back.
    try log.synchronize(of: connection.filePath, using: environment.localFiles)
    for group in groups {
      let segment = try write(SequenceNumber(group.lowerBound), SequenceNumber(group.upperBound))
      try table.add(segment)
      published.segments += 1
      published.transactions += group.count
      published.bytes += Int(segment.bytes)
    }
    return published
  }

  /// Publishes what is not there of the transactions up to `last`, and by themselves those that share
  /// a segment with later ones, without writing it down; for who has the turn.
  func restore(upTo last: SequenceNumber) throws {
    let table = SegmentTable(connection)
    let lost = Set(try losses(table, false))
    for name in try table.all().map(\.name)
    where name.first <= last && (lost.contains(name) || name.last > last) {
      _ = try write(name.first, min(name.last, last))
    }
    // What another copy of the store has published may never arrive.
    let published = try table.last()
    guard published < last else { return }
    try log.synchronize(of: connection.filePath, using: environment.localFiles)
    for group in try group(from: published.next, to: last) {
      _ = try write(SequenceNumber(group.lowerBound), SequenceNumber(group.upperBound))
    }
  }

  /// What has been published and is not there as it should be.
  private func losses(_ table: SegmentTable, _ verifying: Bool) throws -> [SegmentName] {
    let published = try table.all()
    let statuses = try environment.statuses(published.map { segments.path(of: $0.name) })
    return try zip(published, statuses).filter { segment, status in
      // Carriers cut files short and keep the name.
      try status?.kind != .file || status?.size != segment.bytes
        || verifying && !isWhole(segment.name)
    }.map(\.0.name)
  }

  private func isWhole(_ name: SegmentName) throws(ContainerError) -> Bool {
    do {
      try segments.verify(name)
      return true
    } catch {
      if error.code == .inaccessible { throw error }
      return false
    }
  }

  /// Divides transactions into segments of bounded size; a larger transaction has one to itself.
  private func group(from first: SequenceNumber, to last: SequenceNumber) throws -> [ClosedRange<
    UInt64
  >] {
    let statement = try connection.cached(
      """
      SELECT sequence, length(changes) + ifnull((
        SELECT sum(length(p.changes)) FROM tributary_outbox_piece AS p WHERE p.sequence = o.sequence), 0)
      FROM tributary_outbox AS o WHERE sequence BETWEEN ? AND ? ORDER BY sequence
      """)
    defer { statement.reset() }
    try statement.bind(Int64(first.rawValue), at: 1)
    try statement.bind(Int64(last.rawValue), at: 2)
    var groups: [ClosedRange<UInt64>] = []
    var start = first.rawValue
    var bytes: Int64 = 0
    while try statement.step() {
      let sequence = UInt64(clamping: statement.integer(0))
      if bytes > 0, bytes + statement.integer(1) > Self.segmentByteCount {
        groups.append(start...(sequence - 1))
        start = sequence
        bytes = 0
      }
      bytes += statement.integer(1)
    }
    groups.append(start...last.rawValue)
    return groups
  }

  /// How much a segment may hold before compression.
  private static let segmentByteCount: Int64 = 8 << 20

  private func write(
    _ first: SequenceNumber, _ last: SequenceNumber
  ) throws -> SegmentTable.Segment {
    var bytes: UInt64 = 0
    let name = try segments.publish(first: first, last: last) { sink in
      let composer = OutboxSegment(
        identity: identity, connection: connection, first: first, last: last)
      let summary = try composer.write(to: &sink)
      bytes = summary.byteCount
      return summary.contentHash
    }
    return SegmentTable.Segment(name: name, bytes: bytes)
  }
}
