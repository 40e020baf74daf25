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

  private var segments: SegmentStore {
    SegmentStore(directory, peer: identity.peer, using: environment.fileSystem)
  }

  /// Publishes what no segment holds.
  ///
  /// - Parameter lookingForLosses: whether also, again, what has disappeared from the container or
  ///   was cut short there. It looks at every segment.
  /// - Throws: `ContainerError`, `FileError`, `SyncError.forked`; segments written before stay.
  func publish(lookingForLosses: Bool = true) throws -> SyncReport.Published {
    var published = SyncReport.Published()
    let table = SegmentTable(connection)
    var groups: [ClosedRange<UInt64>] = []
    var strangers: Set<SegmentName> = []
    if lookingForLosses { (groups, strangers) = try losses(table) }
    // After the look at the files: another process may publish what it has just committed, at any
    // time.
    guard let present = try Outbox(connection).last()?.sequence else { return published }
    for name in strangers.sorted() { try check(name, present) }
    guard try !groups.isEmpty || table.last() < present else { return published }

    let turn = try PublishingTurn(for: connection.filePath)
    defer { withExtendedLifetime(turn) {} }
    // Whoever had the turn before may have published it.
    let known = try table.last()
    let last = try Outbox(connection).last()?.sequence ?? present
    if known < last { groups += try group(from: known.next, to: last) }
    guard !groups.isEmpty else { return published }

    // Nobody may see a commit that a power cut could still take back.
    try WriteAheadLog(of: connection.filePath).synchronize(using: environment.localFiles)
    for group in groups {
      let segment = try write(SequenceNumber(group.lowerBound), SequenceNumber(group.upperBound))
      try table.add(segment)
      published.segments += 1
      published.transactions += group.count
      published.bytes += Int(segment.bytes)
    }
    return published
  }

  /// What has been published and is not there as it should be, and files that are there and not
  /// remembered.
  private func losses(
    _ table: SegmentTable
  ) throws -> (lost: [ClosedRange<UInt64>], strangers: Set<SegmentName>) {
    var strangers = Set(
      try environment.scan(identity.peer, in: directory).segments.map(\.name))
    var lost: [ClosedRange<UInt64>] = []
    let published = try table.all()
    let statuses = try environment.statuses(published.map { segments.path(of: $0.name) })
    for (segment, status) in zip(published, statuses) {
      strangers.remove(segment.name)
      // Carriers cut files short and keep the name; and one may be newer than the look at the
      // files.
      if status?.kind == .file, status?.size == segment.bytes { continue }
      lost.append(segment.name.first.rawValue...segment.name.last.rawValue)
    }
    return (lost, strangers)
  }

  /// A file of our own that we do not remember: from an attempt that was cut off, or a sign that
  /// this store is not the only one with its identity.
  private func check(_ name: SegmentName, _ last: SequenceNumber) throws {
    let path = segments.path(of: name)
    guard name.last <= last else {
      throw SyncError(
        .forked,
        "this store's own log goes on to transaction \(name.last), but the store remembers \(last): it was "
          + "restored from a backup or copied", path: path,
        remedy: Self.forkRemedy)
    }
    let header: SegmentHeader
    do {
      header = try segments.header(of: name)
    } catch {
      // Cut short or damaged, it says nothing.
      return
    }
    guard try time(of: name.first) == header.firstTime, try time(of: name.last) == header.lastTime
    else {
      throw SyncError(
        .forked,
        "this store's own log has other transactions \(name.first) to \(name.last) than the store: it was "
          + "restored from a backup or copied, and written since", path: path,
        remedy: Self.forkRemedy)
    }
  }

  private static let forkRemedy =
    "move the store away and attach again: it is rebuilt from the logs"

  private func time(of sequence: SequenceNumber) throws -> HybridTime? {
    try Outbox(connection).records(from: sequence, to: sequence).first?.time
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
