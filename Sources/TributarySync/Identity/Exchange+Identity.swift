import TributaryContainer
import TributaryCore
import TributaryHorizon
import TributaryLog
import TributarySQLite
import TributaryStore

/// Gives a store another identity, in its database and in the container.
extension Exchange {
  /// Changes the identity.
  ///
  /// - Parameters:
  ///   - last: the last transaction of the former identity's log that all copies have in common.
  ///   - takenOver: what another copy of the store has issued again after that.
  /// - Returns: `nil` if another process has already changed the identity.
  /// - Throws: on failure. The store then keeps its identity, and the next synchronisation tries again.
  func renewIdentity(
    after last: SequenceNumber, takenOver: Withdrawal? = nil, evidence: String
  ) throws -> SyncReport.Renewal? {
    let turn = try PublishingTurn(for: connection.filePath)
    defer { withExtendedLifetime(turn) {} }
    // Another process may have changed it meanwhile.
    guard try StoreIdentity(reading: connection).peer == own else { return nil }
    // There may be no other device left to do it.
    try restorePublished(upTo: last)
    let mark = try CopyTable(connection).first()
    // Another copy also has what comes before the mark, and issues it again under the identity of both.
    let common = takenOver?.reissued ?? last
    let marked = mark.flatMap { common < $0.last ? nil : $0.next }
    let new = try marked ?? shared(after: last, takenOver) ?? nextIdentity()
    // This comes before the store changes: it shows whether the container can be written.
    try segments(of: new).addDirectories()
    let reissued = try connection.immediate {
      // The original removes its own segments.
      if mark != nil { try WithdrawalTable(connection).removeAll(of: own) }
      try noteReissued(upTo: last)
      try forgetPromises()
      return try IdentityChange(
        connection, Renaming(former: own, last: last, new: new),
        // No other store can have what a copy has written after it was made.
        isShared: mark?.last != last || SegmentTable(connection).last() > last,
        isLeft: Settings(connection)[.left] == .blob(own.bytes),
        takenOver: takenOver.map { ($0.peer, $0.renamed($0.reissued)) }
      ).perform(milliseconds: environment.clock.milliseconds())
    }
    return SyncReport.Renewal(
      former: own, last: last, peer: new, reissued: Int(clamping: reissued),
      evidence: evidence)
  }

  /// Records what the store has issued again under the identity that it leaves, if no `peer.json` there
  /// states it: for a copy, that file is the original's, which may never appear.
  private func noteReissued(upTo last: SequenceNumber) throws {
    guard manifests.all[own] == nil else { return }
    guard let time = try RemovedTransactions(connection).firstTime else { return }
    let reissued = try FormerIdentities(connection).all().filter(\.isShared).map { former in
      let end = SequenceNumber(former.last.rawValue + last.rawValue)
      return Withdrawal(
        former: former.peer, last: former.last, reissued: min(former.reissued, end), peer: own,
        time: time)
    }
    let some = reissued.filter { $0.last < $0.reissued }
    if !some.isEmpty { try Adoptions(Settings(connection)).add(some) }
  }

  /// Forgets what binds only the identity that is left: the store no longer promises anything under it, and
  /// its log is not that of the new one. Nor does the store propose anything soon: a carrier may still bring
  /// what it had agreed on before it was restored.
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

  /// Returns the new identity that all copies of the store that issue the same transactions again share, so
  /// that these are issued only once. It is derived from the first of them.
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

  /// Returns the identity that the store takes when it comes back. It is the same after a failed attempt.
  ///
  /// It has a lineage of its own: stores that come from one store give what they issue again above a horizon
  /// the same times, and within a lineage a time stands for one transaction.
  func identity(returningBy declaration: Declaration) throws -> PeerIdentity {
    var bytes = try nextIdentity().bytes
    // Copies that failed in the same attempt may have written different things since.
    let last = try Outbox(connection).last()?.time ?? .zero
    for number in [declaration.identifier, last.rawValue] {
      withUnsafeBytes(of: number.bigEndian) { bytes += $0 }
    }
    let high = bytes.withUnsafeBytes { SegmentHash.hash($0) }
    withUnsafeBytes(of: high.bigEndian) { bytes += $0 }
    return PeerIdentity(high: high, low: bytes.withUnsafeBytes { SegmentHash.hash($0) })
  }

  /// Returns another new identity. It is the same after a failed attempt.
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

  /// Removes what this store has published under former identities and has issued again, once that is
  /// published and its file states it.
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
