import TributaryHorizon
import TributaryStore

extension SyncSession {
  /// Has the store come back if the other devices have agreed to forget what its own transactions would have to be
  /// compared with: it takes the contents of the last baseline that declares so, and issues again what it had
  /// beyond.
  ///
  /// It synchronises before, so that others can see what it had written, and afterwards.
  ///
  /// - Parameter identifier: the declaration; by default, the last one of which there is a baseline.
  /// - Returns: the report of the last synchronisation, with what was done; `returned` is `nil` if the store obeys
  ///   this declaration, or a later one, or if there is none.
  /// - Throws: `SyncError`, `ContainerError`; the store is then as it was, and can be read and written.
  package func comeBack(by identifier: UInt64? = nil) throws -> SyncReport {
    let lock = try StoreLock(store.path, for: .returning)
    defer { lock.release() }
    for _ in 0..<Self.returnAttempts {
      let report = try exchange(isLookedAt: true)
      if let failure = report.failure { throw failure }
      let outcome = try store.exchange { connection in
        var exchange = try exchange(StoreIdentity(reading: connection), connection)
        try exchange.look()
        return try comeBack(exchange, by: DeclaredBaseline.all(of: identifier, in: exchange))
      }
      switch outcome {
      case .fits:
        // What an attempt has left that was killed when it was done.
        try Staging(target: store.path, fileSystem: environment.localFiles).clear()
        return report
      case .disturbed: continue
      case .returned(let returned):
        var report = try exchange(isLookedAt: true)
        report.returned = returned
        return report
      }
    }
    throw SyncError(
      .inUse, "the store was written to whenever it was about to come back", path: store.path,
      remedy: "try again when there is less to do")
  }

  enum ReturnOutcome {
    case returned(ReturnReport)
    /// It obeys the declaration, or a later one; or there is none.
    case fits
    /// It was written to meanwhile, or has something unpublished.
    case disturbed
  }

  /// Has the store come back by the last declaration among some baselines, as a step of a synchronisation that has
  /// published everything. Afterwards the store may have another identity, under which nothing is published yet.
  func comeBack(
    _ exchange: Exchange, by baselines: [DeclaredBaseline]
  ) throws -> ReturnOutcome {
    guard let declaration = baselines.first?.declaration else { return .fits }
    let obeyed = try HorizonRecord(exchange.connection).state.obeyed
    if let obeyed, declaration <= obeyed { return .fits }
    let returner = Returner(exchange: exchange, store: store, follower: follower)
    let same = baselines.filter { $0.declaration == declaration }
    guard let report = try returner.run(by: same) else { return .disturbed }
    store.note(peer: try StoreIdentity(reading: exchange.connection).peer)
    continuation.withLock { $0 = nil }
    forgetManifest()
    return .returned(report)
  }

  /// Each attempt reads the baseline once.
  private static let returnAttempts = 10
}
