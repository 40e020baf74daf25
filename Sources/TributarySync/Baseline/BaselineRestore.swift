import TributaryContainer
import TributaryCore
import TributaryFiles
import TributaryHorizon
import TributaryLog
import TributarySQLite
import TributaryStore

/// Gives a store that is being made the contents of a baseline, so that only the logs after it need to be
/// read. It uses the baseline that declares the last horizon or, if none declares anything, the one with the
/// most transactions.
///
/// A store that begins with a declared horizon obeys it, and has forgotten what is below it: other logs may
/// be gone.
///
/// No baseline prevents making the store: if one is damaged or does not fit, the next one is tried and,
/// finally, the logs.
struct BaselineRestore {
  /// The identity that the store gets.
  let identity: StoreIdentity
  let directory: ContentDirectory
  let listing: ContentListing
  let manifests: PeerManifests
  let environment: StoreEnvironment
  let selection: TableSelection
  /// The store that is being made. Its replicated tables count as empty.
  let staging: Staging
  /// The most that the store gets; `nil` means everything.
  var horizon: Knowledge?
  let progress: ((Progress) throws -> Void)?

  struct Result {
    /// The baseline that was used; `nil` if none was.
    var used: (path: String, transactions: Int)?
    var damaged: [(path: String, reason: String)] = []
    /// Why other baselines were not used, each in a sentence.
    var passedOver: [String] = []
  }

  /// Fills the store.
  ///
  /// - Parameter onlyDeclared: whether only a baseline that stands for forgotten logs can be used.
  func run(onlyDeclared: Bool) throws -> Result {
    var result = Result()
    let all = try candidates(&result).filter { !onlyDeclared || $0.header.declaration != nil }
    // Baselines come first that have everything that the store still has.
    var lacking: [DeclaredBaselines.Baseline] = []
    for candidate in all
    where try use(candidate, takingAny: false, &result, lacking: { lacking.append(candidate) }) {
      return result
    }
    // A store made for a horizon is otherwise made from logs: its maker forgets by it.
    if horizon != nil { return result }
    for candidate in lacking where try use(candidate, takingAny: true, &result, lacking: {}) {
      return result
    }
    return result
  }

  /// Fills the store from a baseline.
  ///
  /// - Parameters:
  ///   - takesAny: whether to take a baseline that lacks what others have dropped and the store has not.
  ///   - isLacking: called if the baseline is not taken for that reason.
  /// - Returns: whether the baseline was used.
  private func use(
    _ candidate: DeclaredBaselines.Baseline, takingAny takesAny: Bool, _ result: inout Result,
    lacking isLacking: () -> Void
  ) throws -> Bool {
    let path = baselines(of: candidate.peer).path(of: candidate.name)
    do {
      try restore(candidate, takingAny: takesAny)
      result.used = (path, Int(clamping: candidate.header.transactionCount))
      return true
    } catch is Lacking {
      isLacking()
    } catch let error as ContainerError where error.isOfThisDevice || error.stopsAll {
      // Another baseline, or the logs, may be readable; but not if no file can be opened.
      if error.stopsAll { throw error }
      result.passedOver.append(Self.notUsed(path, because: environment.explaining(error)))
    } catch let error as ContainerError {
      result.damaged.append((path, error.message))
    } catch let error as BaselineImage.Unfit {
      result.passedOver.append(Self.notUsed(path, because: error))
    } catch let error as SQLiteError where error.isOfContents {
      result.damaged.append((path, "its database is unusable: \(error.message)"))
    }
    return false
  }

  /// Why a baseline is tried last: others have dropped what the store still has.
  private struct Lacking: Error {}

  /// Returns the baselines with a readable header, the best first.
  private func candidates(_ result: inout Result) throws -> [DeclaredBaselines.Baseline] {
    let all = try DeclaredBaselines().all(in: listing, directory, environment) {
      if $1.isDenied {
        result.passedOver.append(Self.notUsed($0, because: environment.explaining($1)))
      } else {
        result.damaged.append(($0, $1.message))
      }
    }
    return all.filter { horizon?.isSuperset(of: $0.header.contents) ?? true }
      .sorted { $0.comes(before: $1) }
  }

  private static func notUsed(_ path: String, because error: any Error) -> String {
    "the baseline \(path) was not used: \(error)"
  }

  private func baselines(of peer: PeerIdentity) -> BaselineStore {
    BaselineStore(directory, peer: peer, using: environment.fileSystem)
  }

  private func restore(
    _ candidate: DeclaredBaselines.Baseline, takingAny takesAny: Bool
  ) throws {
    let missing = SharedTables(manifests, without: manifests.all.goneIdentities)
      .missing(from: candidate.header.tables, of: candidate.header.contents)
      .filter(selection.includes)
    guard missing.isEmpty else {
      throw BaselineImage.Unfit(
        "its writer leaves out \(missing.count == 1 ? "table" : "tables") "
          + "\(missing.joined(separator: ", ")), which others replicate")
    }
    guard try isOfTheseLogs(candidate.header) else {
      throw BaselineImage.Unfit("the logs have other transactions in place of some of its own")
    }
    let image = LocalFile(staging.target + ScratchFiles.baseline)
    try progress?(Progress(stage: Self.stage, done: 0))
    let file = try image.write()
    var written: Int64 = 0
    var begun: Int64 = 0
    try baselines(of: candidate.peer).read(candidate.name) { bytes in
      try file.write(bytes)
      written += Int64(bytes.count)
      guard written - begun >= Self.stepByteCount else { return }
      try progress?(Progress(stage: Self.stage, done: Int(clamping: written)))
      // The disk works while the next blocks are decompressed.
      file.beginSynchronizing(from: begun, byteCount: written - begun)
      begun = written
    }
    if !takesAny, try !lacks(image.path).isEmpty { throw Lacking() }
    let isPlaced = try BaselineImage.place(image.path, as: staging.path, selection) {
      try note(candidate.header, $1, in: $0)
    }
    if isPlaced { try staging.replace(by: image.path) } else { try fill(from: image, candidate) }
  }

  /// Whether the logs do not contradict what a baseline was made from: its transactions may have turned out
  /// to belong to another identity since.
  private func isOfTheseLogs(_ header: BaselineHeader) throws -> Bool {
    let connection = try Connection(path: staging.path, mode: .readWrite)
    defer { connection.close() }
    var exchange = Exchange(identity, connection, environment, directory)
    exchange.listing = listing
    exchange.manifests = manifests
    let known = header.entries.map {
      KnowledgeTable.Peer(peer: $0.peer, sequence: $0.sequence, time: $0.time)
    }
    return try Branches(exchange).select(from: listing, known: known).strayed.isEmpty
  }

  /// Returns what an image lacks because others have dropped it, although the store that is being made has
  /// it.
  private func lacks(_ image: String) throws -> [String] {
    let connection = try Connection(path: staging.path, mode: .readWrite)
    defer { connection.close() }
    return try BaselineImage.dropped(
      from: image, of: ReplicatedSchema(connection, selection: selection))
  }

  private static let stepByteCount: Int64 = 4 << 20
  /// The name of the stage in progress reports. What is done is counted in bytes.
  private static let stage = "reading a baseline"

  /// Inserts the rows one by one, since the image has other tables than the store, or virtual ones.
  private func fill(from image: borrowing LocalFile, _ candidate: DeclaredBaselines.Baseline) throws
  {
    let connection = try Connection(path: staging.path, mode: .readWrite)
    defer { connection.close() }
    try staging.makeFast(connection)
    connection.setForeignKeys(enforced: false)
    connection.setTriggers(firing: false)
    try ImportTriggers(connection).renew()
    for table in try ReplicatedSchema(connection, selection: selection).tables {
      try connection.execute("DELETE FROM main.\(table.name.quotedIdentifier)")
    }
    let indexes = try DeferredIndexes(droppingFrom: connection)
    let broken: BrokenRows
    do {
      broken = try BaselineImage.read(
        image.path, into: connection, selection,
        isOnlySource: candidate.header.declaration != nil
      ) {
        try note(candidate.header, $0, in: connection)
      }
    } catch {
      try indexes.restore(in: connection)
      throw error
    }
    try indexes.restore(in: connection)
    try broken.hold(in: connection, milliseconds: environment.clock.milliseconds())
  }

  /// Records as imported what the store has now.
  private func note(
    _ header: BaselineHeader, _ facts: [String: Value], in connection: Connection
  ) throws {
    let knowledge = KnowledgeTable(connection)
    for entry in header.entries {
      try knowledge.advance(entry.peer, to: entry.sequence, time: entry.time, after: .zero)
    }
    try BaselineFacts.write(facts, to: connection)
    if let declaration = header.declaration {
      let state = HorizonState(obeyed: declaration, promises: [], dropped: [])
      try HorizonRecord(state: state).write(to: connection)
      try HorizonRecord.settle(declaration, in: connection)
    }
  }
}

extension DeclaredBaselines.Baseline {
  /// Whether a new store should try this one before another.
  fileprivate func comes(before other: Self) -> Bool {
    let (own, others) = (header.declaration, other.header.declaration)
    if own != others {
      guard let own else { return false }
      return others.map { $0 < own } ?? true
    }
    return (header.transactionCount, peer, name)
      > (other.header.transactionCount, other.peer, other.name)
  }
}
