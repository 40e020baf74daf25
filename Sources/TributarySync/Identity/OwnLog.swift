import TributaryContainer
import TributaryCore
import TributaryFiles
import TributaryLog
import TributaryReplay
import TributarySQLite
import TributaryStore

/// Compares what other peers know under a store's identity with what the store remembers.
struct OwnLog {
  /// The result of a comparison.
  enum Verdict: Equatable {
    /// The store continues what it has published.
    case continues
    /// Other stores have written under its identity. Their transactions may agree with the store's up to the
    /// given one, but not beyond. What follows belongs to this store alone, except for what another copy of
    /// it has already issued again.
    case departs(after: SequenceNumber, takenOver: Withdrawal?, evidence: String)
    /// Other stores have written under its identity, and may or may not have what the store has not published
    /// yet. The transactions from the given one on must arrive first.
    case undecided(lacking: SequenceNumber, evidence: String)

    /// The last own transaction that other peers know under its name; `nil` if they know all under their
    /// names.
    var lastShared: SequenceNumber? {
      switch self {
      case .continues: nil
      case .departs(let last, _, _): last
      case .undecided(let lacking, _): SequenceNumber(lacking.rawValue - 1)
      }
    }
  }

  /// What different stores have written.
  let branches: Branches

  private var exchange: Exchange { branches.exchange }
  private var own: PeerIdentity { exchange.own }
  private var connection: Connection { exchange.connection }
  private var listing: ContentListing { exchange.listing }

  /// Compares the log.
  func compare() throws -> Verdict {
    // This comes after listing the files: another process may publish what it has just committed.
    let table = SegmentTable(connection)
    let last = try Outbox(connection).last()?.sequence ?? .zero
    var evidence = OwnEvidence(last: last)
    let known = try table.remembered(of: own)
    for file in try branches.ownSegments(in: listing) where !known.contains(file.name) {
      try examine(file, &evidence)
    }
    let directory = exchange.directory
    if let manifest = exchange.manifests.all[own] {
      evidence.claim(manifest.sequence, by: directory.manifest(of: own))
    }
    for manifest in exchange.manifests.others(than: own) {
      let sequence = manifest.receipt[own]
      let time = manifest.times[own]
      if let time, try branches.isWithdrawn(sequence, of: own, madeAt: time, in: listing) {
        continue
      }
      evidence.claim(sequence, by: directory.manifest(of: manifest.peer))
      if let time {
        try examine(
          sequence, madeAt: time, by: directory.manifest(of: manifest.peer), &evidence)
      }
    }
    try lookAtArrivals(&evidence)
    if let withdrawal = try branches.withdrawalByCopy(upTo: last, in: listing) {
      evidence.takeOver(withdrawal, by: exchange.directory.manifest(of: withdrawal.peer))
    }
    return evidence.verdict(
      published: try table.last(), copied: try CopyTable(connection).first()?.last)
  }

  /// Examines what others have written with knowledge of this store: their receipts may not have
  /// arrived.
  private func lookAtArrivals(_ evidence: inout OwnEvidence) throws {
    let arrivals = listing.arrivals(
      beyond: try KnowledgeTable(connection).current(), except: own)
    let files = FilesAtHand(exchange.environment.fileSystem)
    files.fetchTogether(
      arrivals.map { exchange.directory.log(of: $0).appending(component: $1.description) })
    for (peer, name) in arrivals {
      let segments = exchange.segments(of: peer, using: files)
      // A segment that cannot be read or is damaged proves nothing. The import reports it. What a segment
      // lists is known even if the horizon is not.
      guard let header = try? segments.header(of: name),
        let whole = try? segments.knowledge(of: header) ?? header.knowledge,
        case let known = whole[own],
        known > evidence.last, !branches.mayBeWithdrawn(known, of: own),
        (try? segments.verify(name)) != nil
      else { continue }
      evidence.claim(known, by: segments.path(of: name))
    }
  }

  /// Examines a file of the store's own log that the store does not remember.
  private func examine(_ file: SegmentFile, _ evidence: inout OwnEvidence) throws {
    let path = file.path
    let segments = exchange.segments(of: own)
    // This is another peer's file in the wrong place. It says nothing about this store.
    if isForeign(file, segments) { return }
    evidence.claim(file.name.last, by: path)
    guard file.name.first <= evidence.last else {
      let first = try earliest(before: file.name.first, in: file, segments)
      // A damaged file proves nothing.
      if first <= evidence.last, (try? segments.verify(file.name)) != nil {
        evidence.contradict(at: first, by: path)
      }
      return
    }
    switch try exchange.memory.agreement.compare(
      file, of: own, with: connection, upTo: evidence.last, in: segments)
    {
    case .agrees(let last): evidence.agree(from: file.name.first, to: last)
    case .contradicts(let first):
      evidence.agree(from: file.name.first, to: SequenceNumber(first.rawValue - 1))
      evidence.contradict(at: try earliest(before: first, in: file, segments), by: path)
    case .unreadable: break
    }
  }

  private func isForeign(_ file: SegmentFile, _ segments: SegmentStore) -> Bool {
    do throws(ContainerError) {
      _ = try segments.header(of: file.name)
      return false
    } catch {
      return error.code == .foreign
    }
  }

  /// Returns the first own transaction that cannot precede one that differs elsewhere. Times rise with
  /// sequences, so a later transaction belongs to this store alone, whether the other's has arrived or not.
  private func earliest(
    before contradiction: SequenceNumber, in file: SegmentFile, _ segments: SegmentStore
  ) throws -> SequenceNumber {
    guard let time = exchange.memory.times.time(of: contradiction, in: file.name, segments) else {
      return contradiction
    }
    return min(
      contradiction, try Outbox(connection).firstSequence(notBefore: time) ?? contradiction)
  }

  /// Examines a peer's statement of when one of the own transactions was made.
  private func examine(
    _ sequence: SequenceNumber, madeAt time: HybridTime, by path: String,
    _ evidence: inout OwnEvidence
  ) throws {
    guard sequence > .zero, evidence.last > .zero else { return }
    let outbox = Outbox(connection)
    let isRemoved =
      try sequence <= RemovedTransactions(connection).last
      && sequence < outbox.first() ?? evidence.last.next
    // The names in a declared horizon are final.
    if try isRemoved || outbox.records(from: sequence, to: sequence).first?.time == time {
      evidence.agree(from: SequenceNumber(1), to: sequence)
      return
    }
    // Times rise with sequences: an own transaction that is later than that one is not among those before it.
    let later = try outbox.firstSequence(notBefore: HybridTime(rawValue: time.rawValue &+ 1))
    if let later, later <= sequence {
      evidence.contradict(at: later, by: path)
    } else if sequence <= evidence.last {
      evidence.contradict(at: sequence, by: path)
    }
  }
}
