import TributaryContainer
import TributaryCore
import TributaryFiles
import TributaryHorizon
import TributarySQLite
import TributaryStore

/// Removes what is below the horizon by which this store has forgotten: own segments, then own records, and
/// own baselines that newer ones replace. Rules have the numbers of `docs/space-files.md`.
///
/// Before anything is removed, the store durably records that it is removing it: otherwise, it would bring
/// the files back after a power cut.
struct HorizonRemoval {
  /// The exchange, with a connection for this purpose alone, and current listing and manifests.
  let exchange: Exchange
  let policy: HorizonPolicy
  /// At most this many files are removed in one step.
  let limit: Int

  /// At most this many records are removed in one step, so that no writer waits long.
  private static let recordLimit: UInt64 = 10_000

  private var own: PeerIdentity { exchange.own }
  private var connection: Connection { exchange.connection }
  private var segments: SegmentStore { exchange.segments(of: own) }

  /// Whether there is anything that could be removed if all other peers were ready.
  ///
  /// - Parameter settled: the declaration by whose horizon the store has forgotten; `nil` if it has not.
  static func isDue(
    _ exchange: Exchange, _ baselines: [DeclaredBaselines.Baseline], settled: Declaration?
  ) throws -> Bool {
    guard let settled else { return false }
    let removal = HorizonRemoval(exchange: exchange, policy: HorizonPolicy(), limit: 1)
    return try !removal.removable(settled).isEmpty || !removal.returned().isEmpty
      || removal.lastRecord() != nil || removal.mayReplace(baselines, settled)
  }

  /// Takes one step.
  ///
  /// - Returns: whether there may be more to do.
  func step() throws -> Bool {
    guard let settled = try HorizonRecord(connection).settled, try isCovered(settled) else {
      return false
    }
    let turn = try PublishingTurn(for: connection.filePath)
    defer { withExtendedLifetime(turn) {} }
    // Another process may have taken another identity.
    guard try exchange.isCurrent() else { return false }
    if try removeSegments(settled) { return true }
    if try removeRecords() { return true }
    if try mayReplace(exchange.memory.baselines.all(of: exchange), settled) {
      _ = BaselineRemoval(exchange: exchange, includesDeclared: true).run()
    }
    return false
  }

  // MARK: Conditions

  /// Whether all peers that count have forgotten by a declaration, or a later one, and enough baselines
  /// contain what has been forgotten (rule 18.2 and 18.3).
  private func isCovered(_ declaration: Declaration) throws -> Bool {
    let baselines = try exchange.memory.baselines.all(of: exchange)
      .filter { $0.covers(declaration) }.complete(in: exchange)
    let covering = Set(
      baselines.compactMap { $0.header.declaration?.identifier } + [declaration.identifier])
    func isSettled(_ manifest: PeerManifest?) -> Bool {
      manifest?.horizon?.settled.map(covering.contains) ?? false
    }
    // Usually, this shows that it is too early, without reading a file.
    let cached = exchange.manifests.all
    let gone = cached.goneIdentities
    guard
      exchange.manifests.others(than: own).allSatisfy({
        isSettled($0) || gone.contains($0.peer) || !declaration.members.contains($0.peer)
      })
    else { return false }
    let members = try HorizonMembers(exchange, patience: policy.patience)
    // A silent peer that is not a member was left out, and would have to come back anyway.
    let others = members.all.subtracting([own]).filter {
      members.active.contains($0) || declaration.members.contains($0)
    }
    guard others.allSatisfy({ isSettled(members.manifests[$0]) }) else { return false }
    let needed = others.isEmpty ? 1 : 2
    guard Set(baselines.map(\.peer)).count >= needed else { return false }
    let whole = try baselines.filter { try exchange.memory.baselines.isWhole($0, in: exchange) }
    return Set(whole.map(\.peer)).count >= needed
  }

  // MARK: Segments

  /// Returns the own segments that are completely below the horizon, from the first on. The newest stays.
  private func removable(_ declaration: Declaration) throws -> [SegmentTable.Segment] {
    let all = try SegmentTable(connection).all()
    return Array(
      all.dropLast().prefix { $0.name.last <= declaration.horizon[own] })
  }

  /// Returns removed segments that a carrier has brought back (rule 21).
  private func returned() throws -> [SegmentName] {
    let removed = try RemovedTransactions(connection).last
    let names = try Set(SegmentTable(connection).all().map(\.name))
    return exchange.ownListing.segments.map(\.name).filter {
      $0.last <= removed && !names.contains($0)
    }
  }

  private func removeSegments(_ declaration: Declaration) throws -> Bool {
    let old = try Array(removable(declaration).prefix(limit))
    let names = try old.map(\.name) + returned().prefix(limit - old.count)
    guard !names.isEmpty else { return false }
    let withdrawals = WithdrawalTable(connection)
    let since = Int64(clamping: exchange.environment.clock.milliseconds())
    try connection.immediate {
      let table = SegmentTable(connection)
      for segment in old { try table.remove(segment) }
      if let last = old.last { try RemovedTransactions(connection).note(upTo: last.name.last) }
      for name in names { try withdrawals.add(name.description, of: own, since: since) }
    }
    try exchange.memory.log.synchronize(
      of: connection.filePath, using: exchange.environment.localFiles)
    for name in names { try segments.remove(name) }
    try connection.immediate {
      for name in names { try withdrawals.remove(name.description, of: own) }
    }
    return true
  }

  // MARK: Records

  /// Returns the last record that may be removed (rule 19); `nil` if none may. The very last record stays: it
  /// determines the next number.
  private func lastRecord() throws -> SequenceNumber? {
    let removed = try RemovedTransactions(connection).last
    let outbox = Outbox(connection)
    guard let first = try outbox.first(), first <= removed, let last = try outbox.last()?.sequence,
      first < last
    else { return nil }
    let end = min(
      removed, SequenceNumber(last.rawValue - 1),
      SequenceNumber(first.rawValue + Self.recordLimit - 1))
    return end
  }

  private func removeRecords() throws -> Bool {
    guard let last = try lastRecord() else { return false }
    // As long as a file is there, it may be compared with its records.
    guard exchange.ownListing.segments.allSatisfy({ $0.name.first > last }) else { return false }
    try connection.immediate { try RemovedTransactions(connection).removeRecords(upTo: last) }
    return true
  }

  // MARK: Baselines

  /// Whether an own baseline is older than that of the declaration.
  private func mayReplace(
    _ baselines: [DeclaredBaselines.Baseline], _ declaration: Declaration
  ) -> Bool {
    baselines.contains {
      $0.peer == own && !$0.covers(declaration)
        && declaration.horizon.isSuperset(of: $0.header.contents)
    }
  }
}
