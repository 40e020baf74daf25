import TributaryContainer
import TributaryCore
import TributaryFiles
import TributaryLog
import TributarySQLite
import TributaryStore

/// Writes a store's own transactions into its directory of the container.
///
/// They are read from the outbox, so publishing may fail for weeks: what is not published yet is written next
/// time.
extension Exchange {
  /// Transactions that become a segment.
  private struct Group {
    var first: SequenceNumber
    var last: SequenceNumber
    /// The compression level.
    var level = 0

    init(_ first: SequenceNumber, _ last: SequenceNumber) {
      self.first = first
      self.last = last
    }

    /// Creates the group of an existing segment.
    init(_ segment: SegmentTable.Segment) {
      self.init(segment.name.first, segment.name.last)
      level = segment.level
    }
  }

  /// Publishes the transactions that no segment contains.
  ///
  /// - Parameter lookingForLosses: whether to publish again what has disappeared from the container
  ///   or was cut short there. This checks every segment.
  /// - Parameter verifying: whether to also read each segment and compare it with its name.
  /// - Throws: `ContainerError`, `FileError`. Segments written before the error stay.
  func publish(
    lookingForLosses: Bool = true, verifying: Bool = false
  ) throws -> SyncReport.Published {
    var published = SyncReport.Published()
    let table = SegmentTable(connection)
    let outbox = Outbox(connection)
    let lacks = try lookingForLosses && !missing(table, verifying).isEmpty
    let isDue = try environment.horizons.isOn && HorizonReaders(connection).isRewritingDue
    let isNew = try outbox.last().map { try table.last() < $0.sequence } ?? false
    guard lacks || isDue || isNew else {
      return published
    }

    let turn = try PublishingTurn(for: connection.filePath)
    defer { withExtendedLifetime(turn) {} }
    // The process that had the turn before may have published or compacted these, or may have changed the
    // store's identity.
    guard try isCurrent() else { return published }
    let readers = try HorizonReaders.note(self)
    var groups = lacks ? try missing(table, verifying) : []
    let known = try table.last()
    if let last = try outbox.last()?.sequence, known < last {
      groups += try group(from: known.next, to: last)
    }
    let rewritten = try rewrite(readers) { range, level in
      var group = Group(range.lowerBound, range.upperBound)
      group.level = level
      return try write(group)
    }
    published.segments += rewritten.count
    published.bytes += rewritten.reduce(0) { $0 + Int($1.bytes) }
    guard !groups.isEmpty else { return published }

    // No peer may see a commit that a power cut could still undo.
    try memory.log.synchronize(of: connection.filePath, using: environment.localFiles)
    try testify(upTo: groups.map(\.last).max() ?? .zero)
    // Others must find the tables and columns of a log when they read it. If the file cannot be written now,
    // the log must not be kept from them: the end of the synchronisation writes the file again, and reports
    // why it cannot.
    if try hasUnstatedSchema() { _ = try? writeManifest() }
    for group in groups {
      let segment = try write(group)
      try add(segment, to: table)
      published.segments += 1
      published.transactions += Int(group.last.rawValue - group.first.rawValue + 1)
      published.bytes += Int(segment.bytes)
    }
    return published
  }

  private func add(_ segment: SegmentTable.Segment, to table: SegmentTable) throws {
    try connection.immediate {
      try table.add(segment)
      // A segment of the same transactions may once have been compacted into another one that has been
      // forgotten since.
      try keep(segment)
    }
  }

  /// Publishes what is missing of the transactions up to `last`. Those that share a segment with later ones
  /// are published separately. Nothing of this is recorded. The caller must have the turn.
  func restorePublished(upTo last: SequenceNumber) throws {
    let table = SegmentTable(connection)
    let lost = Set(try losses(table.all(), false).map(\.name))
    for segment in try table.all()
    where segment.name.first <= last
      && (lost.contains(segment.name) || segment.name.last > last)
    {
      var group = Group(segment)
      group.last = min(group.last, last)
      try keep(write(group, anew: true))
    }
    // What another copy of the store has published may never arrive.
    let published = try table.last()
    guard published < last else { return }
    try memory.log.synchronize(of: connection.filePath, using: environment.localFiles)
    for group in try group(from: published.next, to: last) { try keep(write(group, anew: true)) }
  }

  /// Cancels the removal of a segment that was compacted before: it will be read again.
  private func keep(_ segment: SegmentTable.Segment) throws {
    try WithdrawalTable(connection).remove(segment.name.description, of: own)
  }

  /// Records what is about to be published before any peer can see it, so that a store that is behind its
  /// publications is also behind the record.
  private func testify(upTo last: SequenceNumber) throws {
    let known = max(last, try SegmentTable(connection).last())
    guard let record = try Outbox(connection).records(from: known, to: known).first else { return }
    try environment.witness.testify(for: connection, upTo: record)
  }

  /// Returns own transactions before the last published one that no known segment contains. They may be in
  /// the container, but nothing would ensure that they stay there.
  private func gaps(
    _ published: [SegmentTable.Segment]
  ) throws -> [ClosedRange<SequenceNumber>] {
    guard let last = published.last?.name.last else { return [] }
    // Transactions that were removed because baselines contain them are not missing.
    var next =
      published[0].name.first > SequenceNumber(1)
      ? try RemovedTransactions(connection).last.next : SequenceNumber(1)
    if published[0].name.first > next {
      // Transactions that are no longer in the outbox cannot be published.
      next = max(next, try Outbox(connection).first() ?? last.next)
    }
    var gaps: [ClosedRange<SequenceNumber>] = []
    for segment in published {
      if segment.name.first > next {
        gaps.append(next...SequenceNumber(segment.name.first.rawValue - 1))
      }
      next = max(next, segment.name.last.next)
    }
    return gaps
  }

  /// Returns what must be published although later transactions already have been.
  private func missing(_ table: SegmentTable, _ verifying: Bool) throws -> [Group] {
    let published = try table.all()
    return try losses(published, verifying).map(Group.init)
      + gaps(published).flatMap { try group(from: $0.lowerBound, to: $0.upperBound) }
  }

  /// Returns the segments that have been published but are not in the container as they should be.
  private func losses(
    _ published: [SegmentTable.Segment], _ verifying: Bool
  ) throws -> [SegmentTable.Segment] {
    let statuses = try environment.statuses(published.map { segments(of: own).path(of: $0.name) })
    // Peers do not follow links.
    let foreign = Set(ownListing.ignored.lazy.filter { $0.reason == .wrongKind }.map(\.path))
    return try zip(published, statuses).filter { segment, status in
      // Carriers cut files short and keep the name.
      try status?.kind != .file || status?.size != segment.bytes
        || !foreign.isEmpty && foreign.contains("log/\(segment.name)")
        || verifying && !isWhole(segment.name)
    }.map(\.0)
  }

  private func isWhole(_ name: SegmentName) throws(ContainerError) -> Bool {
    do {
      try segments(of: own).verify(name)
      return true
    } catch {
      if error.code == .inaccessible { throw error }
      return false
    }
  }

  /// Divides transactions into segments of bounded size; a larger transaction has a segment of its
  /// own.
  private func group(from first: SequenceNumber, to last: SequenceNumber) throws -> [Group] {
    var groups: [Group] = []
    var start = first
    var bytes: Int64 = 0
    let horizon = try OwnHorizon(connection, own: own, environment.horizons)
    try OutboxSizes(connection).forEach(from: first, to: last) { sequence, size in
      if bytes > 0,
        bytes + size > environment.segments.byteLimit || sequence == horizon?.first.rawValue
      {
        groups.append(Group(start, SequenceNumber(sequence - 1)))
        start = SequenceNumber(sequence)
        bytes = 0
      }
      bytes += size
    }
    groups.append(Group(start, last))
    return groups
  }

  private func write(_ group: Group, anew: Bool = false) throws -> SegmentTable.Segment {
    try OutboxSegment(
      identity: identity, connection: connection, first: group.first, last: group.last,
      level: group.level, horizons: environment.horizons
    ).publish(in: segments(of: own), anew: anew)
  }
}
