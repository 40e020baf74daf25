import TributaryContainer
import TributaryCore
import TributaryHorizon
import TributaryLog
import TributarySQLite
import TributaryStore

/// Giving a store another identity, in its database and in the container.
extension Exchange {
  /// Changes the identity.
  ///
  /// - Parameters:
  ///   - last: the last transaction of the former identity's log that all have in common.
  ///   - takenOver: what another copy of the store has issued again after that.
  /// - Returns: `nil` if another process has done it.
  /// - Throws: on failure; the store then keeps its identity, and the next synchronisation tries
  ///   again.
  func renewIdentity(
    after last: SequenceNumber, takenOver: Withdrawal? = nil, evidence: String
  ) throws -> SyncReport.Renewal? {
    let turn = try PublishingTurn(for: connection.filePath)
    defer { withExtendedLifetime(turn) {} }
    // Another process may have done it meanwhile.
    guard try StoreIdentity(reading: connection).peer == own else { return nil }
    // Nobody else may be left to do it.
    try restorePublished(upTo: last)
    let mark = try CopyTable(connection).first()
    // Another copy also has what comes before the mark, and issues it under the identity of both.
    let common = takenOver?.reissued ?? last
    let marked = mark.flatMap { common < $0.last ? nil : $0.next }
    let new = try marked ?? shared(after: last, takenOver) ?? nextIdentity()
    // Before the store changes: a container that cannot be written shows here.
    try segments(of: new).addDirectories()
    let reissued = try connection.immediate {
      // The original removes its own.
      if mark != nil { try WithdrawalTable(connection).removeAll(of: own) }
      try forgetPromises()
      try noteReissued(upTo: last)
      return try IdentityChange(
        connection, Renaming(former: own, last: last, new: new),
        // Nobody else can have what a copy has written after it was made.
        isShared: mark?.last != last || SegmentTable(connection).last() > last,
        isLeft: Settings(connection)[.left] == .blob(own.bytes),
        takenOver: takenOver.map { ($0.peer, $0.renamed($0.reissued)) }
      ).perform(milliseconds: environment.clock.milliseconds())
    }
    return SyncReport.Renewal(
      former: own, last: last, peer: new, reissued: Int(clamping: reissued),
      evidence: evidence)
  }

  /// Remembers what the store has issued again under the identity that it leaves, if no `peer.json` there says so: that of
  /// a copy is the original's, who may never be there.
  private func noteReissued(upTo last: SequenceNumber) throws {
    guard manifests.all[own] == nil else { return }
    let first = SequenceNumber(1)
    guard let time = try Outbox(connection).records(from: first, to: first).first?.time
    else { return }
    let reissued = try FormerIdentities(connection).all().filter(\.isShared).map { former in
      let end = SequenceNumber(former.last.rawValue + last.rawValue)
      return Withdrawal(
        former: former.peer, last: former.last, reissued: min(former.reissued, end), peer: own,
        time: time)
    }
    let some = reissued.filter { $0.last < $0.reissued }
    if !some.isEmpty { try Adoptions(Settings(connection)).add(some) }
  }

  /// Forgets what binds only the identity that is left: it promises nothing more, and its log is not that of the new
  /// one. Nor does it propose anything soon: a carrier may still bring what it had agreed on before it was restored.
  private func forgetPromises() throws {
    try RemovedTransactions(connection).clear()
    if environment.horizons.isOn {
      var notes = try HorizonNotes(connection)
      notes.moved = environment.clock.milliseconds()
      try notes.write(to: connection)
    }
    var record = try HorizonRecord(connection)
    guard record != HorizonRecord() else { return }
    record.state = HorizonState(obeyed: record.state.obeyed, promises: [], dropped: [])
    try record.write(to: connection)
  }

  /// Returns the new identity that all copies of the store that issue the same transactions again
  /// share, so that these are issued only once: it follows from the first of them.
  ///
  /// - Returns: `nil` if nothing is issued again.
  private func shared(
    after last: SequenceNumber, _ takenOver: Withdrawal?
  ) throws -> PeerIdentity? {
    let outbox = Outbox(connection)
    let first = (takenOver?.reissued ?? last).next
    guard let time = try outbox.records(from: first, to: first).first?.time else { return nil }
    return own.branch(from: time)
  }

  /// Returns the identity that the store takes when it comes back, the same after a failed attempt.
  ///
  /// It has a lineage of its own: stores that come from one give what they issue again above one horizon the same times,
  /// and in a lineage a time stands for one transaction.
  func identity(returningBy declaration: Declaration) throws -> PeerIdentity {
    var bytes = try nextIdentity().bytes
    // Copies that have failed together may have written different things since.
    let last = try Outbox(connection).last()?.time ?? .zero
    for number in [declaration.identifier, last.rawValue] {
      withUnsafeBytes(of: number.bigEndian) { bytes += $0 }
    }
    let high = bytes.withUnsafeBytes { SegmentHash.hash($0) }
    withUnsafeBytes(of: high.bigEndian) { bytes += $0 }
    return PeerIdentity(high: high, low: bytes.withUnsafeBytes { SegmentHash.hash($0) })
  }

  /// Returns another new identity, the same after a failed attempt.
  func nextIdentity() throws -> PeerIdentity {
    let settings = Settings(connection)
    if case .blob(let bytes) = try settings[.nextPeer],
      let peer = bytes.withUnsafeBytes({ PeerIdentity(bytes: $0) }), peer != own
    {
      return peer
    }
    let new = own.successor(environment.makeIdentity())
    try settings.set(.nextPeer, .blob(new.bytes))
    return new
  }

  /// Removes what this store has published under former identities and issued again, after that is
  /// published and its file says so.
  func removeWithdrawn() throws {
    let table = WithdrawalTable(connection)
    let former = try table.former(except: own)
    // What is being published under the next identity is not former.
    guard try !former.isEmpty && isCurrent() else { return }
    for (peer, name) in former {
      if let segment = SegmentName(name) {
        try segments(of: peer).remove(segment)
      }
      try table.remove(name, of: peer)
    }
  }
}
