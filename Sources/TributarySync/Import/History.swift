import TributaryContainer
import TributaryCore
import TributaryLog
import TributaryMerge
import TributaryReplay
import TributarySQLite
import TributaryStore

/// What a store already has, read again from the logs where it matters for the present import.
struct History {
  /// A segment with imported transactions is gone from the container.
  struct Missing: Error {
    var peer: PeerIdentity
    var sequence: SequenceNumber
    /// Why this device cannot read the file that contains it; `nil` if no intact file is here.
    var obstacle: ContainerError?
  }

  let own: PeerIdentity
  let connection: Connection
  let listing: ContentListing
  var segments: (PeerIdentity) -> SegmentStore
  let verified: VerifiedSegments
  /// Lists a peer's segments again after a listed file has disappeared.
  var relist: SegmentStream.Relist?
  /// Own transactions after this one do not count as history yet.
  var ownLast = SequenceNumber.max
  /// The rows that stand for the transactions that the store has forgotten; `nil` if there are none.
  var settled: SettledRows?

  /// The transactions that matter: those later than a stamp, and those that are not in `floor`.
  struct Scope {
    var earliest: Stamp
    var floor: Knowledge

    func contains(_ side: Conflict.Side) -> Bool {
      side.sequence > floor[side.peer] || Stamp(time: side.time, peer: side.peer) > earliest
    }

    /// Whether any of that peer's transactions matter.
    func reaches(_ peer: KnowledgeTable.Peer) -> Bool {
      peer.sequence > floor[peer.peer] || Stamp(time: peer.time, peer: peer.peer) > earliest
    }

    /// Whether anything that the store has forgotten matters.
    func reachesBeneath(_ settled: SettledRows) -> Bool {
      settled.latest > earliest || !floor.isSuperset(of: settled.horizon)
    }

    /// Returns the scope without what the store has forgotten.
    func above(_ settled: SettledRows) -> Scope {
      Scope(
        earliest: max(earliest, settled.latest), floor: floor.union(settled.horizon))
    }

    /// A scope that contains everything.
    static let all = Scope(
      earliest: Stamp(time: .zero, peer: PeerIdentity(high: 0, low: 0)), floor: Knowledge())
  }

  /// Adds to `batch` what its authors did not know, and what is later than its earliest change: only these
  /// can affect the meaning of new changes.
  ///
  /// - Parameter known: what has been imported from each peer, with the time of the last transaction.
  /// - Returns: the number of changes read for this.
  @discardableResult
  func add(to batch: MergeBatch, known: [KnowledgeTable.Peer]) throws -> Int {
    try addUnknown(to: batch, known: known) + addRuns(to: batch, known: known)
  }

  private func addUnknown(to batch: MergeBatch, known: [KnowledgeTable.Peer]) throws -> Int {
    guard let earliest = batch.reach.earliest, let floor = batch.reach.floor else { return 0 }
    var count = 0
    var scope = Scope(earliest: earliest, floor: floor)
    let moved = batch.movedNumberings
    let movesUnknownRows = try batch.movesUnknownRows()
    if movesUnknownRows || !moved.isEmpty {
      scope.earliest = moved.map(\.stamp).min().map { min(scope.earliest, $0) } ?? scope.earliest
      // The scope includes what is strictly later than these, and the numberings themselves.
      scope.floor = scope.floor.intersection(known: moved)
      if movesUnknownRows { scope = .all }
      try forEachChange(in: scope, known: known, batch) { transaction in
        batch.begin(transaction, isNew: false)
        return true
      } add: { change, mapping in
        count += 1
        try batch.addMoved(change, mapping: mapping)
      }
      // What the authors of these did not know matters now too.
      scope.earliest = min(scope.earliest, batch.reach.earliest ?? scope.earliest)
      scope.floor = scope.floor.intersection(batch.reach.floor ?? scope.floor)
      if batch.mayLeaveOlderRows { scope = .all }
    }
    func addExisting(_ change: ChangeView, _ mapping: Int) throws {
      count += 1
      try batch.addExisting(change, mapping: mapping)
    }
    try forEachChange(in: scope, known: known, batch) { transaction in
      // The first parts of a large transaction have already been applied.
      if batch.isBringing(transaction.side) { return false }
      batch.begin(transaction, isNew: false)
      return true
    } add: {
      try addExisting($0, $1)
    }
    // The authors of these transactions may have known whether a row came to life again after a deletion that
    // some authors did not know.
    guard let deletion = batch.earliestExistingDeletion, deletion < scope.earliest else {
      return count
    }
    var wider = scope
    wider.earliest = deletion
    try forEachChange(in: wider, known: known, batch) { transaction in
      if matters(transaction.side, in: scope) { return false }
      batch.begin(transaction, isNew: false)
      return true
    } add: {
      try addExisting($0, $1)
    }
    return count
  }

  /// Adds the other runs of the migrations of which the batch contains a run: of the rows that they insert,
  /// the earliest counts.
  ///
  /// - Returns: the number of changes read for this.
  private func addRuns(to batch: MergeBatch, known: [KnowledgeTable.Peer]) throws -> Int {
    var count = 0
    for run in batch.otherRuns() where run.sequence > forgotten(of: run.peer) {
      var floor = Knowledge()
      floor[run.peer] = SequenceNumber(run.sequence.rawValue - 1)
      // Nothing is later.
      let scope = Scope(
        earliest: Stamp(time: HybridTime(rawValue: .max), peer: run.peer), floor: floor)
      func begin(_ transaction: BatchTransaction) -> Bool {
        guard transaction.side.peer == run.peer, transaction.side.sequence == run.sequence else {
          return false
        }
        batch.begin(transaction, isNew: false)
        return true
      }
      func add(_ change: ChangeView, _ mapping: Int) throws {
        count += 1
        try batch.addExisting(change, mapping: mapping)
      }
      if run.peer == own {
        guard let last = try Outbox(connection).last()?.sequence,
          run.sequence <= min(last, ownLast)
        else { continue }
        let stream = try OutboxStream(peer: own, connection: connection, from: run.sequence)
        try forEach(stream, in: scope, batch, begin, add)
      } else if let peer = known.first(where: { $0.peer == run.peer }),
        run.sequence <= peer.sequence
      {
        try forEach(of: peer, in: scope, batch, begin, add)
      }
    }
    return count
  }

  /// Reads the files that `add` will need, as far as they are known in advance.
  func fetch(for batch: MergeBatch, known: [KnowledgeTable.Peer], into files: FilesAtHand) {
    guard let earliest = batch.reach.earliest, let floor = batch.reach.floor else { return }
    let scope = Scope(earliest: earliest, floor: floor)
    var logs = known.filter(scope.reaches).compactMap { peer in
      newest(upTo: peer.sequence, of: peer.peer)
    }
    // In each step, one segment of each log.
    while !logs.isEmpty {
      files.fetchTogether(logs.map(\.file.path))
      logs = logs.compactMap { peer, file -> (peer: PeerIdentity, file: SegmentFile)? in
        // This only reads ahead. A file that cannot be read is read again when it is needed, and then reported.
        guard (try? files.fetch(file.path)) == true,
          let time = try? segments(peer).header(of: file.name).firstTime,
          scope.contains(Conflict.Side(peer: peer, sequence: file.name.first, time: time))
        else { return nil }
        return newest(upTo: SequenceNumber(file.name.first.rawValue - 1), of: peer)
      }
    }
  }

  /// Returns the longest segment that has a transaction; `nil` if there is none, or if the store has forgotten
  /// the transaction.
  private func newest(
    upTo last: SequenceNumber, of peer: PeerIdentity
  ) -> (peer: PeerIdentity, file: SegmentFile)? {
    guard last > forgotten(of: peer) else { return nil }
    return listing.peers.first { $0.peer == peer }?.segments
      .filter { $0.name.first <= last && last <= $0.name.last }
      .min { $0.name.first < $1.name.first }.map { (peer, $0) }
  }

  /// Returns all changes of some rows.
  func histories(
    of rows: Set<RowIdentity>, in batch: MergeBatch, known: [KnowledgeTable.Peer]
  ) throws -> [RowIdentity: RowHistory] {
    let histories = RowHistories(rows, in: batch) { try settled?.claims(of: $0) ?? [:] }
    try forEachChange(in: .all, known: known, batch) { transaction in
      histories.begin(transaction)
      return true
    } add: { change, mapping in
      try histories.add(change, mapping: mapping)
    }
    return histories.result
  }

  // MARK: Reading

  /// Receives a transaction before its changes; returns whether these matter.
  typealias Begin = (BatchTransaction) throws -> Bool

  /// Receives a change of the present transaction, and its mapping.
  typealias Add = (ChangeView, Int) throws -> Void

  private func matters(_ side: Conflict.Side, in scope: Scope) -> Bool {
    side == .earliest
      ? settled.map(scope.reachesBeneath) ?? false : scope.contains(side)
  }

  /// Returns the last transaction of a peer that the store has forgotten.
  private func forgotten(of peer: PeerIdentity) -> SequenceNumber {
    settled?.horizon[peer] ?? .zero
  }

  private func forEachChange(
    in wanted: Scope, known: [KnowledgeTable.Peer], _ batch: MergeBatch, begin: Begin, add: Add
  ) throws {
    var scope = wanted
    if let settled, scope.reachesBeneath(settled) {
      scope = scope.above(settled)
      try forEach(settled.stream(), in: wanted, batch, begin, add)
    }
    try forEachOwn(in: scope, batch, begin, add)
    for peer in known where scope.reaches(peer) {
      try forEach(of: peer, in: scope, batch, begin, add)
    }
  }

  private func forEachOwn(
    in scope: Scope, _ batch: MergeBatch, _ begin: Begin, _ add: Add
  ) throws {
    let outbox = Outbox(connection)
    guard let last = try outbox.last()?.sequence else { return }
    let later = try outbox.firstSequence(notBefore: scope.earliest.time)
    let first = max(min(later ?? .max, scope.floor[own].next), forgotten(of: own).next)
    guard first <= min(last, ownLast) else { return }
    let stream = try OutboxStream(peer: own, connection: connection, from: first)
    try forEach(stream, in: scope, batch, begin, add)
  }

  private func forEach(
    of peer: KnowledgeTable.Peer, in scope: Scope, _ batch: MergeBatch, _ begin: Begin,
    _ add: Add
  ) throws {
    var part = listing.peers.first { $0.peer == peer.peer } ?? PeerListing(peer: peer.peer)
    var files = part.segments
    var seen = Set(files)
    var hasLost = false
    var obstacle: ContainerError?
    var upper = peer.sequence
    while upper > forgotten(of: peer.peer) {
      let covering = files.filter { $0.name.first <= upper && upper <= $0.name.last }
      guard let file = covering.min(by: { $0.name.first < $1.name.first }) else {
        // The author may have compacted the file with others.
        let more = hasLost ? (try? relist?(peer.peer))?.filter { !seen.contains($0) } ?? [] : []
        guard !more.isEmpty else {
          throw Missing(peer: peer.peer, sequence: upper, obstacle: obstacle)
        }
        files += more
        seen.formUnion(more)
        hasLost = false
        continue
      }
      part.segments = [file]
      let stream = SegmentStream(
        part, segments: segments(peer.peer), after: SequenceNumber(file.name.first.rawValue - 1),
        upTo: upper, verified: verified)
      if let failure = stream.failure, failure.stopsAll { throw failure }
      obstacle = obstacle ?? stream.failure
      // A damaged file, or one that may not be read, is treated as missing until it is intact again.
      guard let head = stream.head, stream.damaged.isEmpty, stream.failure == nil else {
        files.removeAll { $0 == file }
        hasLost = hasLost || stream.hasLost
        continue
      }
      try forEach(stream, in: scope, batch, begin, add)
      if let failure = stream.failure {
        if failure.stopsAll { throw failure }
        throw Missing(peer: peer.peer, sequence: file.name.first, obstacle: failure)
      }
      if !stream.damaged.isEmpty || stream.hasLost {
        throw Missing(peer: peer.peer, sequence: file.name.first)
      }
      let side = Conflict.Side(peer: peer.peer, sequence: head.sequence, time: head.time)
      if !scope.contains(side) { return }
      upper = SequenceNumber(file.name.first.rawValue - 1)
    }
  }

  private func forEach(
    _ stream: some TransactionStream, in scope: Scope, _ batch: MergeBatch, _ begin: Begin,
    _ add: Add
  ) throws {
    var mappings = ShapeMappings()
    while let header = stream.head, stream.peer != own || header.sequence <= ownLast {
      let transaction = BatchTransaction(header, of: stream.peer, schema: stream.schema)
      if matters(transaction.side, in: scope), try begin(transaction) {
        while let change = try stream.nextChange() {
          // What has been imported could be mapped then. A table that was dropped since has no rows to merge.
          if let mapping = try? mappings.mapping(change.shapeID, of: stream, in: batch) {
            try add(change, mapping)
          }
        }
      }
      try stream.advance()
    }
  }
}

extension Knowledge {
  /// Returns what is known without the given numberings.
  fileprivate func intersection(known numberings: [Numbering]) -> Knowledge {
    var knowledge = self
    for numbering in numberings {
      let side = numbering.transaction.side
      knowledge[side.peer] = min(
        knowledge[side.peer], SequenceNumber(side.sequence.rawValue - 1))
    }
    return knowledge
  }
}
