import TributaryContainer
import TributaryCore
import TributaryFiles
import TributaryHorizon
import TributarySQLite
import TributaryStore

/// Compacts a store's log: replaces small segments with larger ones, and removes the small ones later. It
/// works one step at a time, and may stop after any step.
///
/// It composes segments from the outbox in a read transaction, so no writer waits for it. The large file is
/// published before the store forgets the small ones. These are removed only while their replacement is in
/// the container.
struct SegmentCompactor {
  /// The exchange, with a connection for this purpose alone.
  let exchange: Exchange
  let policy: SegmentPolicy
  /// Whether another thread is waiting for this one.
  var isInterrupted: () -> Bool = { false }

  /// Why a step was not taken. Nothing has changed then.
  enum Interruption: Error {
    /// Another thread is waiting.
    case interrupted
    /// Another process has changed the sources of the segment.
    case overtaken
  }

  private var own: PeerIdentity { exchange.own }
  private var connection: Connection { exchange.connection }
  private var environment: StoreEnvironment { exchange.environment }
  private var table: SegmentTable { SegmentTable(connection) }
  private var withdrawals: WithdrawalTable { WithdrawalTable(connection) }
  private var segments: SegmentStore { exchange.segments(of: own) }

  /// Writes one segment in place of several, or compresses one more strongly.
  ///
  /// - Returns: the payload that was compressed; `nil` if there is nothing to do.
  /// - Throws: `Interruption`; `ContainerError` and `FileError`. Nothing is lost then.
  func compact() throws -> Int64? {
    guard let old = try next(), let first = old.first, let last = old.last else { return nil }
    var turn: PublishingTurn?
    defer { withExtendedLifetime(turn) {} }
    let composer = OutboxSegment(
      identity: exchange.identity, connection: connection, first: first.name.first,
      last: last.name.last,
      level: policy.level, horizons: environment.horizons,
      check: { if isInterrupted() { throw Interruption.interrupted } })
    let compacted = try connection.snapshot {
      try checkPresent(old)
      return try composer.publish(in: segments) {
        connection.rollBack()
        turn = try PublishingTurn(for: connection.filePath)
        try checkPresent(old)
      }
    }
    try connection.immediate { try replace(old, by: compacted) }
    return compacted.payload
  }

  /// Returns the segments to compact next; `nil` if there are none. Segments below the horizon are left out:
  /// they are about to be removed.
  func next() throws -> [SegmentTable.Segment]? {
    var all = try table.all()
    // Usually there is nothing to do, whatever is below the horizon.
    guard policy.next(among: all.map(\.piece)) != nil else { return nil }
    // If these were merged with one that begins below the horizon, they could not be written above it any
    // more.
    if let horizon = try OwnHorizon(connection, own: own, environment.horizons) {
      all.removeAll { $0.name.first < horizon.first }
    }
    if environment.horizons.isOn, let settled = try HorizonRecord(connection).settled {
      all.removeAll { $0.name.last <= settled.horizon[own] }
    }
    return policy.next(among: all.map(\.piece)).map { Array(all[$0]) }
  }

  /// Checks that these are still segments of the unchanged store.
  ///
  /// - Throws: `Interruption.overtaken` if they are not.
  private func checkPresent(_ old: [SegmentTable.Segment]) throws {
    let present = try table.all()
    guard try exchange.isCurrent(), old.allSatisfy(present.contains) else {
      throw Interruption.overtaken
    }
  }

  private func replace(
    _ old: [SegmentTable.Segment], by compacted: SegmentTable.Segment
  ) throws {
    for segment in old {
      try table.remove(segment)
      try withdrawals.add(segment.name.description, of: own, since: now)
    }
    try table.add(compacted)
    // A segment that cannot be compressed further keeps its name.
    try withdrawals.remove(compacted.name.description, of: own)
  }

  // MARK: Removing

  private var now: Int64 { Int64(clamping: environment.clock.milliseconds()) }

  /// Returns when the first segment must be removed, in milliseconds since 1970; `nil` if there is
  /// none.
  func nextRemoval() throws -> Int64? {
    try removals().map(\.due).min()
  }

  /// Returns what is to be removed and when, oldest first. An entry with a time in the future, from a clock
  /// that was ahead, is checked at once, and its whole grace period begins then.
  private func removals() throws -> [(name: String, due: Int64)] {
    let now = now
    let all = try withdrawals.all(of: own).sorted { ($0.since, $0.name) < ($1.since, $1.name) }
    let hurried = max(0, all.count - policy.stayingLimit)
    let shorter = min(policy.graceMilliseconds, policy.shorterGraceMilliseconds)
    return all.enumerated().map { index, removal in
      let grace = index < hurried ? shorter : policy.graceMilliseconds
      return (
        removal.name,
        removal.since > now ? now : removal.since.addingReportingOverflow(grace).partialValue
      )
    }
  }

  /// Records the entries anew that were recorded with a time in the future.
  private func noteAnew() throws {
    let now = now
    guard try withdrawals.all(of: own).contains(where: { $0.since > now }) else { return }
    try connection.immediate {
      for (name, since) in try withdrawals.all(of: own) where since > now {
        // Adding an existing entry would keep its time.
        try withdrawals.remove(name, of: own)
        try withdrawals.add(name, of: own, since: now)
      }
    }
  }

  /// Removes some segments whose transactions have been in another segment for long enough.
  ///
  /// - Returns: whether any segment was removed.
  /// - Throws: `ContainerError`, `FileError`. Removing the remaining segments is tried again.
  func removeSome() throws -> Bool {
    try noteAnew()
    let now = now
    func dueNames() throws -> [String] {
      try removals().filter { $0.due <= now }.map(\.name)
    }
    guard try !dueNames().isEmpty else { return false }
    let turn = try PublishingTurn(for: connection.filePath)
    defer { withExtendedLifetime(turn) {} }
    guard try exchange.isCurrent() else { return false }
    let published = try table.all()
    let names = Set(published.map(\.name))
    var isPresent: [SegmentName: Bool] = [:]
    func isThere(_ segment: SegmentTable.Segment) throws -> Bool {
      if let known = isPresent[segment.name] { return known }
      let status = try segments.status(of: segment.name)
      let result = status?.kind == .file && status?.size == segment.bytes
      isPresent[segment.name] = result
      return result
    }
    var done: [String] = []
    var removable: [SegmentName] = []
    for text in try dueNames() where removable.count < policy.removalLimit {
      guard let name = SegmentName(text), !names.contains(name) else {
        done.append(text)
        continue
      }
      let covering = published.filter { $0.name.last >= name.first && $0.name.first <= name.last }
      let removed = try RemovedTransactions(connection).last
      guard Self.cover(covering, name, after: removed), try covering.allSatisfy(isThere) else {
        continue
      }
      removable.append(name)
    }
    guard !removable.isEmpty || !done.isEmpty else { return false }
    // Otherwise, the store would bring them back after a power cut.
    try exchange.memory.log.synchronize(of: connection.filePath, using: environment.localFiles)
    defer { note(done) }
    for name in removable {
      try segments.remove(name)
      done.append(name.description)
    }
    return true
  }

  /// Whether segments in ascending order contain everything that another one does, apart from what was
  /// removed.
  private static func cover(
    _ segments: [SegmentTable.Segment], _ name: SegmentName, after removed: SequenceNumber
  ) -> Bool {
    var next = max(name.first, removed.next)
    for segment in segments where segment.name.first <= next {
      next = max(next, segment.name.last.next)
    }
    return next > name.last
  }

  private func note(_ done: [String]) {
    // If this fails, removing them again does nothing.
    try? connection.immediate {
      for name in done { try withdrawals.remove(name, of: own) }
    }
  }
}
