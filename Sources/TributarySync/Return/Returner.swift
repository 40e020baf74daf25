import TributaryContainer
import TributaryCore
import TributaryHorizon
import TributarySQLite
import TributaryStore

/// Makes a store come back (rule 12 of `docs/space-return.md`): it takes the contents of a baseline in place
/// of its own, and issues again what it had beyond the horizon and no store can merge any more.
///
/// Everything is put together in another file. The store changes in one transaction at the end.
struct Returner {
  /// The store and the container, which have just been looked at.
  let exchange: Exchange
  let store: LocalStore
  let declaration: Declaration
  /// What the store issues again for a peer that was retired.
  var retired: RetiredLog?
  /// Whether programs may have written what nothing has captured and no comparison with the logs can find.
  var isUncompared = false
  /// Whether no device will bring transactions that are in no file and whose authors are gone.
  var passesOverLost = false
  var follower = ImportFollower()
  var progress: ((Progress) throws -> Void)?

  private var connection: Connection { exchange.connection }
  private var staging: Staging {
    Staging(target: store.path, fileSystem: exchange.environment.localFiles)
  }

  /// Comes back by the first of some baselines that is whole.
  ///
  /// - Parameter baselines: the baselines of the declaration.
  /// - Returns: `nil` if the store was written to meanwhile, or has not published everything.
  /// - Throws: what is wrong. The store is then as it was.
  func run(by baselines: [DeclaredBaselines.Baseline]) throws -> ReturnReport? {
    var reasons: [String] = []
    var isUnfit = false
    var breaksKey = false
    for baseline in baselines {
      let path = exchange.baselines(of: baseline.peer).path(of: baseline.name)
      do {
        return try attemptFollowing(baseline)
      } catch let error as ContainerError where error.path == path {
        reasons.append("\(path): \(error.message)")
      } catch let error as BaselineImage.Unfit {
        reasons.append("\(path): \(error)")
        isUnfit = true
        breaksKey = breaksKey || error.breaksKey
      }
    }
    throw SyncError(
      .logsMissing,
      "the other devices have agreed to forget what this store needs, and "
        + (isUnfit ? "no baseline fits its tables" : "no whole baseline is here")
        + reasons.map { " (\($0))" }.joined(),
      path: exchange.directory.peers,
      remedy: Self.remedy(isUnfit: isUnfit, breaksKey: breaksKey)
        + ". The store stays as it is until then")
  }

  private static func remedy(isUnfit: Bool, breaksKey: Bool) -> String {
    if breaksKey {
      return
        "drop the UNIQUE index that does not allow those rows, or run the migration of the application that makes the "
        + "tables alike, then sync again"
    }
    return isUnfit
      ? "run the migration of the application that makes the tables alike, then sync again"
      : "wait for the carrier; `tributary baseline` on another device writes a new one"
  }

  /// Tries with the tables as they are. If they do not fit, and the store follows, tries with those of the
  /// baseline's author.
  private func attemptFollowing(
    _ baseline: DeclaredBaselines.Baseline
  ) throws -> ReturnReport? {
    do {
      return try staging.lend { try attempt(baseline) }
    } catch let error as BaselineImage.Unfit {
      guard let offer = try SchemaFollowing(exchange).offer(of: baseline.peer) else { throw error }
      return try staging.lend { try attempt(baseline, taking: offer) }
    }
  }

  private func attempt(
    _ baseline: DeclaredBaselines.Baseline, taking offer: SchemaOffer? = nil
  ) throws -> ReturnReport? {
    // The next identity is chosen here: later, this would be an unexpected write.
    if isUncompared { _ = try exchange.nextIdentity() }
    try connection.copyCompactly(to: staging.path)
    let version = try connection.integer("PRAGMA main.schema_version")
    let made = try store.background { original in
      try original.snapshot { () -> (ReturnReport, ReturnMoment, UncomparedTables?)? in
        let moment = try ReturnMoment(original)
        guard moment.published == moment.last, moment.identity == exchange.identity else {
          return nil
        }
        let uncompared = try isUncompared ? UncomparedTables(original) : nil
        guard try isRecorded(original, but: uncompared) else { return nil }
        let copy = try Connection(path: staging.path, mode: .readWrite)
        defer { copy.close() }
        guard try ReturnMoment(copy) == moment else { return nil }
        let report = try ReturnMaking(
          exchange: exchange.reading(original), baseline: baseline, declaration: declaration,
          staging: staging, connection: copy, moment: moment, offer: offer,
          passesOverLost: passesOverLost, retired: retired,
          uncompared: uncompared, progress: progress
        ).run(identity: { try identity() })
        return (report, moment, uncompared)
      }
    }
    guard let (report, moment, uncompared) = made else { return nil }
    // Otherwise, what other processes publish or compact meanwhile would be recorded under the new identity.
    let turn = try PublishingTurn(for: connection.filePath)
    defer { withExtendedLifetime(turn) {} }
    let isInstalled = try ReturnedContents(connection: connection, path: staging.path).install {
      try ReturnMoment(connection) == moment && isRecorded(connection, but: uncompared)
        && connection.integer("PRAGMA main.schema_version") == version
    } commit: {
      if uncompared != nil { try ForeignCapture(connection).acquit() }
      // Programs that show rows read all of them again.
      var imported = SyncReport.Imported()
      imported.isIncomplete = true
      let entry = try ImportJournal(connection).append(
        imported, milliseconds: exchange.environment.clock.milliseconds())
      try follower.commit(entry) { try connection.commit() }
    }
    return isInstalled ? report : nil
  }

  /// Whether everything that programs have written is recorded, except in tables that cannot be compared.
  private func isRecorded(
    _ connection: Connection, but uncompared: UncomparedTables?
  ) throws -> Bool {
    let capture = ForeignCapture(connection)
    guard let uncompared else { return try !capture.isDue() }
    return try !capture.isPending() && UncomparedTables(connection) == uncompared
  }

  /// Returns the identity that the store takes, and creates its directory: before the store changes, this
  /// shows whether the container can be written.
  private func identity() throws -> PeerIdentity {
    let new = try exchange.identity(returningBy: declaration)
    try exchange.segments(of: new).addDirectories()
    return new
  }
}

extension Exchange {
  /// Returns an exchange that reads the store by another connection.
  func reading(_ other: Connection) -> Exchange {
    var exchange = Exchange(identity, other, environment, directory, memory)
    exchange.listing = listing
    exchange.manifests = manifests
    return exchange
  }
}
