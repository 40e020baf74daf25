import TributaryContainer
import TributaryCore
import TributaryFiles
import TributaryLog
import TributaryMerge
import TributaryReplay
import TributarySQLite
import TributaryStore

/// Imports what has arrived in a container: whole transactions, in order of stamp, in batches of
/// bounded size.
struct Importer {
  var exchange: Exchange
  /// What is left out, as determined by `run`.
  private(set) var selection = BranchSelection(ContentListing())
  private(set) var withdrawals: [Withdrawal] = []
  private(set) var branches: Branches?
  /// The rows that stand for the transactions that the store has forgotten.
  private let settled: SettledRows?
  /// Reports what other processes import.
  let follower: ImportFollower
  private let recordForeignWrites: (() throws -> Void)?
  private let checkAgreement: ((Int64?) throws -> Void)?
  /// The most that is imported; `nil` means everything.
  private let horizon: Knowledge?
  let announces: Bool
  let progress: ((Progress) throws -> Void)?

  /// Prepares an import.
  ///
  /// - Parameters:
  ///   - recordForeignWrites: records what other programs have written, before an import that would conflict
  ///     with it; `nil` for a copy of a store that no other program knows.
  ///   - checkAgreement: throws if a peer merges a table differently from this store, whose schema version is
  ///     given. Called before each pass.
  ///   - horizon: the most that is imported; `nil` means everything.
  ///   - announces: whether to record the import for other processes; not in a file that no other process has
  ///     open yet.
  init(
    exchange: Exchange, follower: ImportFollower = ImportFollower(),
    recordForeignWrites: (() throws -> Void)? = nil,
    checkAgreement: ((Int64?) throws -> Void)? = nil,
    horizon: Knowledge? = nil,
    announces: Bool = true, progress: ((Progress) throws -> Void)? = nil
  ) throws {
    self.exchange = exchange
    self.follower = follower
    self.recordForeignWrites = recordForeignWrites
    self.checkAgreement = checkAgreement
    self.horizon = horizon
    self.announces = announces
    self.progress = progress
    settled = try SettledRows(exchange)
  }

  /// The factor by which a batch may be larger if there is much that the authors did not know.
  static let largestBatch = 5
  /// A batch is applied when it contains this many bytes, to limit the memory used.
  static let byteLimit = 32 << 20

  /// An import ends when files could not be read so often that could be read a moment before.
  static let mostLosses = 3

  /// Why a file was set aside.
  private struct Damage: Error, CustomStringConvertible {
    var description: String
  }

  struct Result {
    /// Whether the listing had anything beyond what was imported before.
    var hasArrived = false
    var imported = SyncReport.Imported()
    var waiting: [Waiting] = []
    /// Everything that was left out, including what nothing waits for because it was issued again.
    var outside: [Waiting] = []
    var damaged: [(path: String, reason: String)] = []
    /// Why there may be more than was imported.
    var failure: ContainerError?

    /// Whether there is nothing to say.
    var isEmpty: Bool {
      imported.isEmpty && outside.isEmpty && damaged.isEmpty && failure == nil
    }
  }

  /// Imports until nothing more can be imported.
  ///
  /// - Parameter didCommit: called after each commit with what it imported.
  /// - Throws: whatever makes the store unusable. What concerns only one peer is in the result.
  func run(didCommit: (SyncReport.Imported) throws -> Void = { _ in }) throws -> Result {
    var importer = self
    let result = try importer.selectAndRun(didCommit)
    // A listed segment that nothing waits for was missing when it was to be read.
    if result.hasArrived, result.isEmpty { exchange.memory.vanishing.note() }
    return result
  }

  private mutating func selectAndRun(
    _ didCommit: (SyncReport.Imported) throws -> Void
  ) throws -> Result {
    var result = Result()
    do {
      result.imported = try OwnExamination(importer: self).examine()
    } catch let error as ContainerError {
      result.failure = error
      return result
    }
    if !result.imported.isEmpty { try didCommit(result.imported) }
    // Most synchronisations find nothing, and everything below costs more than this check.
    result.hasArrived = try hasArrivals()
    guard
      try result.hasArrived
        || exchange.manifests.others(than: exchange.own).contains(where: {
          !$0.former.isEmpty || !$0.adopted.isEmpty || !$0.corrections.isEmpty
        }) || exchange.listing.hasOverlaps || Settings(exchange.connection)[.adopted] != nil
    else {
      return result
    }
    try select()
    guard result.hasArrived else {
      // Imported transactions may have turned out to belong to another identity.
      result.waiting = selection.waiting
      result.outside = result.waiting
      return result
    }
    var refused: [Waiting] = []
    // Those among them that lack a table or column here.
    var blocked: [SchemaFollowing.Blocked] = []
    var following = try SchemaFollowing(exchange)
    var offer: SchemaOffer?
    // How many schemas of other devices have been tried.
    var taken = 0
    var numberings: [Numbering] = []
    var unreadable: [String: any Error] = [:]
    // Why logs that are needed cannot be read.
    var obstacle: ContainerError?
    // How often files could not be read that had been intact before.
    var losses = 0
    var search = ViolationSearch()
    var rowLimit = exchange.environment.importRowLimit
    while true {
      var begun: ImportPass?
      do {
        let pass = try ImportPass(
          self, refused: refused, numberings: numberings, unreadable: unreadable,
          search: search, rowLimit: rowLimit, taking: offer)
        begun = pass
        // The check covers the schema that the pass has read, or a later one, which the pass notices.
        do { try checkAgreement?(pass.schemaVersion) } catch {
          // A schema may have been taken.
          exchange.connection.rollBack()
          throw error
        }
        try pass.run { imported in
          numberings.removeAll()
          offer = nil
          result.imported.append(imported)
          try didCommit(imported)
        }
        offer = try following.next(for: blocked)
        if offer != nil {
          try progress?(Progress(stage: "following a schema", done: taken))
          taken += 1
          // Transactions that still lack something will be refused again.
          refused.removeAll { waiting in blocked.contains { $0.waiting == waiting } }
          blocked.removeAll()
          continue
        }
        result.outside = try following.explaining(pass.waiting, blocked) + selection.waiting
        result.waiting = try exchange.withoutReissued(result.outside)
        let present = unreadable.filter { !isGone($0.key) }.sorted { $0.key < $1.key }
        let denied = present.lazy.compactMap { $0.value as? ContainerError }.filter(\.isDenied)
        result.damaged =
          try exchange.withoutLeftBehind(pass.damaged)
          + present.filter { ($0.value as? ContainerError)?.isDenied != true }
          .map { ($0.key, "\($0.value)") }
        result.failure = pass.failure ?? denied.first ?? obstacle
        return result
      } catch let error as ContainerError {
        return try ended(result, begun, failure: error)
      } catch let interruption as ImportPass.Interruption {
        switch interruption {
        case .overtaken:
          // Another pass over a copy that no other program should write to would end in the same way.
          guard let recordForeignWrites else {
            throw SyncError(
              .inUse, "another program has written into a copy of the store that is being made",
              path: exchange.connection.filePath, remedy: "end that program, then try again")
          }
          // The next synchronisation imports under the identity that another process has given to the store.
          guard try exchange.hasIdentity() else { return result }
          try recordForeignWrites()
        case .blocked(let waiting, let shape):
          refused.append(waiting)
          if let shape { blocked.append(SchemaFollowing.Blocked(waiting: waiting, shape: shape)) }
        case .untaken(let reason):
          if let refusing = offer { following.note(reason, against: refusing) }
          offer = nil
        case .accident(let found):
          numberings += found
          // With few rows per batch, everything that their authors did not know would be read again for each
          // batch.
          rowLimit = search.isWide ? rowLimit : begun?.wantedRowLimit ?? rowLimit
        case .lostNumberings:
          numberings.removeAll()
          // The next synchronisation tries the files again that could not be read.
          let lost = begun?.damaged ?? []
          for (path, reason) in lost { unreadable[path] = Damage(description: reason) }
          if lost.isEmpty { losses += 1 }
          guard losses < Self.mostLosses else {
            exchange.memory.vanishing.note()
            return try ended(result, begun, failure: begun?.failure ?? obstacle)
          }
        case .unreadable(let path, let error):
          unreadable[path] = error
          if isGone(path) {
            exchange.listing = try exchange.environment.scan(
              exchange.directory, exchange.memory.listings)
            try select()
          }
        case .violation(let violation):
          numberings.removeAll()
          obstacle = obstacle ?? violation.obstacle
          if let waiting = search.next(after: violation) { refused.append(waiting) }
          rowLimit = .max
        }
      }
    }
  }

  /// Returns what is said of an import that ends before everything has been tried.
  private func ended(
    _ result: Result, _ pass: ImportPass?, failure: ContainerError?
  ) throws -> Result {
    var result = result
    result.outside = (pass?.waiting ?? []) + selection.waiting
    result.waiting = try exchange.withoutReissued(result.outside)
    result.failure = failure
    return result
  }

  /// Whether any other peer's segment goes beyond what has been imported.
  private func hasArrivals() throws -> Bool {
    try !exchange.listing.arrivals(
      beyond: KnowledgeTable(exchange.connection).current(), except: exchange.own
    ).isEmpty
  }

  /// Leaves out what several stores wrote under one identity.
  private mutating func select() throws {
    var branches = try Branches(exchange)
    if try CorrectionExamination(branches: branches).run() {
      branches = try Branches(exchange)
    }
    self.branches = branches
    selection = try branches.select(
      from: exchange.listing, known: KnowledgeTable(exchange.connection).peers())
    withdrawals = branches.withdrawals
    exchange.listing = selection.readable
  }

  /// Returns the last transaction of a peer that may be imported.
  func limit(of peer: PeerIdentity) -> SequenceNumber {
    min(selection.limits[peer] ?? .max, horizon.map { $0[peer] } ?? .max)
  }

  /// Returns the present segments of a peer, after a listed one has disappeared.
  func relist(_ peer: PeerIdentity) throws -> [SegmentFile] {
    try branches?.listAgain(peer, selection) ?? []
  }

  /// Whether a file is gone because its author has compacted it or the carrier has removed it.
  private func isGone(_ path: String) -> Bool {
    do {
      return try exchange.environment.fileSystem.status(path) == nil
    } catch {
      return false
    }
  }

  var history: History {
    History(
      own: exchange.own, connection: exchange.connection, listing: exchange.listing,
      segments: { exchange.segments(of: $0) }, verified: exchange.memory.verified, relist: relist,
      settled: settled)
  }

  /// Reads ahead if the files are real and may be slow; `nil` if nothing may happen in the background.
  var readAhead: ReadAhead? {
    exchange.environment.executor.map { _ in ReadAhead(exchange.environment.fileSystem) }
  }
}
