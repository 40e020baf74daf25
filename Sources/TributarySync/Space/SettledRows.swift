import TributaryContainer
import TributaryCore
import TributaryHorizon
import TributaryLog
import TributarySQLite
import TributaryStore

/// What lies beneath the horizon that a store has forgotten: one transaction, before all others and known to
/// everybody, that puts the rows of a baseline (rule 9 of `docs/space.md`).
///
/// The baseline is read from the container when it is needed for the first time, which is rare.
final class SettledRows {
  let declaration: Declaration
  private let exchange: Exchange
  /// The database, once it has been read, and the path of the baseline that it was in.
  private var file: LocalFile?
  private var found: (path: String, baseline: String)?
  private var claims: BaselineClaims?

  /// Makes it without reading anything; `nil` for a store that has forgotten nothing.
  init?(_ exchange: Exchange) throws {
    guard let declaration = try HorizonRecord(exchange.connection).settled else { return nil }
    self.declaration = declaration
    self.exchange = exchange
  }

  var horizon: Knowledge { declaration.horizon }

  /// The stamp of the latest transaction beneath the horizon.
  private(set) lazy var latest =
    horizon.entries.map {
      Stamp(time: declaration.times[$0.peer] ?? .zero, peer: $0.peer)
    }.max() ?? Stamp(time: .zero, peer: Conflict.Side.earliest.peer)

  /// How many transactions lie beneath the horizon.
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

  /// Returns since when a row had its unique keys and references at the horizon, as far as the baseline says; see
  /// `RowHistory.settled`.
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

  /// Fills the empty tables of a store, and its bookkeeping of the merge.
  ///
  /// - Throws: as `stream()`.
  func fill(_ target: Connection, _ selection: TableSelection) throws {
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
    // The store's own has what others have dropped, and it has not.
    let all = try exchange.memory.baselines.all(of: exchange)
    let own = all.filter { $0.peer == exchange.own }
    for baseline in own + all.filter({ $0.peer != exchange.own })
    where try baseline.header.declaration == declaration
      && exchange.tablesMissing(from: baseline.header, for: selection, countsGone: true).isEmpty
    {
      let baselines = exchange.baselines(of: baseline.peer)
      let file = LocalFile(
        unique: exchange.connection.filePath + "-tributary-horizon", exchange.environment)
      let bytes = try file.write()
      do {
        try baselines.read(baseline.name) { try bytes.write($0) }
      } catch let error as ContainerError {
        if error.stopsAll { throw error }
        // One that is damaged is as good as not there: another one serves.
        continue
      }
      let found = (path: file.path, baseline: baselines.path(of: baseline.name))
      let schema = try schema()
      try naming(found.baseline) { _ = try BaselineImage.rename(found.path, for: schema) }
      self.found = found
      self.file = consume file
      return found
    }
    let entry = horizon.entries.first
    throw History.Missing(
      peer: entry?.peer ?? exchange.own, sequence: entry?.sequence ?? .zero)
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
