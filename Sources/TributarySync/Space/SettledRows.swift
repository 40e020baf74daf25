import TributaryContainer
import TributaryCore
import TributaryHorizon
import TributaryLog
import TributarySQLite
import TributaryStore

/// What is below the horizon that a store has forgotten. It is represented by one transaction, which comes
/// before all others, is known to all authors, and puts the rows of a baseline (rule 9 of `docs/space.md`).
///
/// The baseline is read from the container when it is first needed, which is rare.
final class SettledRows {
  let declaration: Declaration
  private let exchange: Exchange
  /// The database, once it has been read, and the path of the baseline that it was in.
  private var file: LocalFile?
  private var found: (path: String, baseline: String)?
  private var claims: BaselineClaims?
  /// What the baseline lacks because others have dropped it, although the store has not.
  private var dropped: [String] = []

  /// Creates it without reading anything; `nil` for a store that has forgotten nothing.
  init?(_ exchange: Exchange) throws {
    guard let declaration = try HorizonRecord(exchange.connection).settled else { return nil }
    self.declaration = declaration
    self.exchange = exchange
  }

  var horizon: Knowledge { declaration.horizon }

  /// The stamp of the latest transaction below the horizon.
  private(set) lazy var latest =
    horizon.entries.map {
      Stamp(time: declaration.times[$0.peer] ?? .zero, peer: $0.peer)
    }.max() ?? Stamp(time: .zero, peer: Conflict.Side.earliest.peer)

  /// The number of transactions below the horizon.
  var count: Int {
    horizon.entries.reduce(0) { $0 + Int(clamping: $1.sequence.rawValue) }
  }

  /// Returns the transaction.
  ///
  /// - Throws: `History.Missing` if no whole baseline of the declaration is in the container.
  func stream() throws -> SettledStream {
    let image = try image()
    return try naming(image.baseline) {
      SettledStream(try BaselineRows(image.path, schema()), knowing: horizon)
    }
  }

  /// Returns since when a row had its unique keys and references at the horizon, as far as the baseline
  /// states it; see `RowHistory.settled`.
  func claims(of row: RowIdentity) throws -> [String: Conflict.Side] {
    let image = try image()
    return try naming(image.baseline) {
      if claims == nil { claims = try BaselineClaims(image.path, schema()) }
      return try claims?.sides(of: row) ?? [:]
    }
  }

  private func schema() throws -> ReplicatedSchema {
    let connection = exchange.connection
    return try ReplicatedSchema(connection, selection: TableSelection(connection))
  }

  /// Checks that the baseline has everything that the store still has: contents made from it would lack the
  /// rest.
  ///
  /// - Throws: `SyncError` with the code `logsMissing`; also what `stream()` throws.
  func checkWhole() throws {
    let image = try image()
    guard !dropped.isEmpty else { return }
    let what = dropped.joined(separator: ", ")
    throw SyncError(
      .logsMissing,
      "nothing in the container has what this store has in \(what): migrations elsewhere have dropped that, and the baselines "
        + "of those devices, which stand for forgotten logs, lack it", path: image.baseline,
      remedy:
        "run `tributary baseline` here, which writes this store's own baseline anew, or says what has to be done first; or run "
        + "the migration that drops it here, too: nothing has been changed")
  }

  /// Fills the empty tables of a store, and its bookkeeping of the merge.
  ///
  /// - Throws: what `checkWhole()` throws.
  func fill(_ target: Connection, _ selection: TableSelection) throws {
    try checkWhole()
    let image = try image()
    try naming(image.baseline) {
      let broken = try BaselineImage.read(
        image.path, into: target, selection, isOnlySource: true
      ) { _ in
        try ConflictTable(target).settle(beneath: horizon)
      }
      try broken.hold(in: target, milliseconds: exchange.environment.clock.milliseconds())
    }
  }

  private func image() throws -> (path: String, baseline: String) {
    if let found { return found }
    let selection = try TableSelection(exchange.connection)
    // The store's own baseline has what others have dropped and this store has not.
    let all = try exchange.memory.baselines.all(of: exchange)
    let own = all.filter { $0.peer == exchange.own }
    let usable = try (own + all.filter { $0.peer != exchange.own }).filter {
      try $0.header.declaration == declaration
        && exchange.tablesMissing(from: $0.header, for: selection, countsGone: true).isEmpty
    }
    for takesAny in [false, true] {
      for baseline in usable {
        if let found = try read(baseline, takesAny: takesAny) { return found }
      }
    }
    let entry = horizon.entries.first
    throw History.Missing(
      peer: entry?.peer ?? exchange.own, sequence: entry?.sequence ?? .zero)
  }

  /// Reads a baseline.
  ///
  /// - Parameter takesAny: whether to take a baseline that lacks what others have dropped and the store has
  ///   not.
  /// - Returns: `nil` for a baseline that is damaged or not taken.
  private func read(
    _ baseline: DeclaredBaselines.Baseline, takesAny: Bool
  ) throws -> (path: String, baseline: String)? {
    let baselines = exchange.baselines(of: baseline.peer)
    let file = LocalFile(
      unique: exchange.connection.filePath + ScratchFiles.horizon, exchange.environment)
    let bytes = try file.write()
    do {
      try baselines.read(baseline.name) { try bytes.write($0) }
    } catch let error as ContainerError {
      if error.stopsAll { throw error }
      // A damaged baseline counts as missing: another one can be used.
      return nil
    }
    let found = (path: file.path, baseline: baselines.path(of: baseline.name))
    let schema = try schema()
    let dropped = try naming(found.baseline) {
      try BaselineImage.dropped(from: found.path, of: schema)
    }
    guard takesAny || dropped.isEmpty else { return nil }
    try naming(found.baseline) { _ = try BaselineImage.rename(found.path, for: schema) }
    self.dropped = dropped
    self.found = found
    self.file = consume file
    return found
  }

  /// Names the baseline in errors of its database.
  private func naming<Result>(_ baseline: String, _ body: () throws -> Result) throws -> Result {
    do {
      return try body()
    } catch let error as SQLiteError where error.isUniqueViolation {
      throw StoreError(
        .migration,
        "rows that were written before a migration break a constraint that it adds: \(error.message)",
        path: baseline,
        remedy:
          "try again when the devices that have changed these rows have agreed on a newer baseline; nothing has been changed"
      )
    } catch let error as SQLiteError where error.isOfContents {
      throw ContainerError.damaged(baseline, "its database is unusable: \(error.message)")
    } catch let error as BaselineImage.Unfit {
      throw ContainerError.damaged(baseline, "it does not fit the store: \(error)")
    }
  }
}
