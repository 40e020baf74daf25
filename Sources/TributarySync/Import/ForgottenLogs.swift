import TributaryCore
import TributaryReplay
import TributaryStore

/// The transactions that the devices have forgotten and that no segment contains any more, as far as a store
/// waits for them.
///
/// The baselines are examined at the first query.
final class ForgottenLogs {
  private let exchange: Exchange
  private lazy var beginning = find()
  private lazy var lacking = findLacking()
  private lazy var onlyKey = findOnlyKey()

  init(_ exchange: Exchange) { self.exchange = exchange }

  private func find() -> LogBeginning? {
    let baselines = exchange.memory.baselines
    // A container that does not answer now provides nothing.
    let all = (try? baselines.all(of: exchange)) ?? []
    return LogBeginning.find(
      beside: exchange.listing.logs(in: exchange.directory),
      having: LogCoverage(exchange.listing.logs(in: exchange.directory)),
      using: exchange.environment.fileSystem,
      isUsable: { baseline in
        all.contains {
          $0.peer == baseline.file.owner && $0.name == baseline.file.name
            && (try? baselines.isWhole($0, in: exchange)) ?? false
        }
      },
      // Only whole ones are usable, and the step that reads baselines names the damaged ones.
      check: { _ in }, report: { _ in }
    ).first
  }

  /// Whether a transaction is one of these.
  func has(_ sequence: SequenceNumber, of peer: PeerIdentity) -> Bool {
    guard !exchange.listing.holds(sequence, of: peer), let beginning else { return false }
    return beginning.baseline.map { sequence <= $0.horizon[peer] } ?? false
      || beginning.missing.contains { $0.peer == peer && $0.missing.contains(sequence) }
  }

  /// The baseline of a peer that contains one of its own transactions, although no file that this store can
  /// import contains it. It declares another horizon than the one that is followed.
  func baselineNotFollowed(with sequence: SequenceNumber, of peer: PeerIdentity) -> LogBaseline? {
    guard peer != exchange.own, !exchange.listing.holds(sequence, of: peer) else { return nil }
    return beginning?.usable.first {
      $0.file.owner == peer && $0.horizon[peer] >= sequence
    }
  }

  /// Returns the first table or column that the whole baselines have and that is missing here, as a phrase;
  /// `nil` if one of them fits, or if the store follows the schemas of others.
  private func findLacking() -> String? {
    // This only chooses the text of a delay. What cannot be read or compared now says nothing: the delay is
    // reported all the same, and what is wrong with the store ends the step that needs it.
    guard let beginning, (try? FollowedSchema(exchange.connection).isFollowing) == false,
      let selection = try? TableSelection(exchange.connection)
    else { return nil }
    var lacking: String?
    for owner in Set(beginning.usable.map(\.file.owner)).sorted() {
      guard let schema = exchange.manifests.all[owner]?.schema,
        let comparison = try? SchemaComparison(
          SchemaSource(schema, at: exchange.directory.manifest(of: owner)), to: exchange.connection)
      else { return nil }
      let shared = Set(schema.tables.map { SQLName($0) })
      let missing = comparison.missing.first {
        shared.contains(SQLName($0.table)) && selection.includes($0.table)
      }
      guard let missing else { return nil }
      lacking = missing.phrase
    }
    return lacking
  }

  /// Returns the first UNIQUE key that no device with a whole baseline has, as a phrase; `nil` if there is
  /// none. The rows of every baseline may violate it.
  private func findOnlyKey() -> String? {
    // As above, this only chooses the text of a delay.
    guard let beginning, let selection = try? TableSelection(exchange.connection),
      let schema = try? ReplicatedSchema(exchange.connection, selection: selection)
    else { return nil }
    var own: Set<OnlyKey> = []
    for table in schema.tables where table.refusal == nil {
      guard let rules = try? TableRules(table, exchange.connection) else { return nil }
      own.formUnion(rules.uniqueKeys.map { OnlyKey(table: table.name, key: $0) })
    }
    if own.isEmpty { return nil }
    for owner in Set(beginning.usable.map(\.file.owner)) {
      guard let manifest = exchange.manifests.all[owner],
        let theirs = try? PeerTables(
          manifest.schema, extensions: exchange.connection.extensions)
      else { return nil }
      own = own.filter { key in
        guard let table = theirs.schema.table(named: key.table), table.refusal == nil,
          let rules = try? TableRules(table, theirs.connection)
        else { return false }
        return !rules.uniqueKeys.contains(key.key)
      }
    }
    return own.map(\.phrase).min()
  }

  private struct OnlyKey: Hashable {
    var table: String
    var key: String
    var phrase: String { "\(key) of table \(table)" }
  }

  /// Whether only the application can continue, by a migration.
  var needsMigration: Bool { !isLost && lacking != nil }

  /// Where the transactions are, as a phrase.
  var whereabouts: String {
    "the devices have forgotten what came first, and "
      + (isLost ? "no whole baseline is here that has it" : "only baselines have it")
      + (needsMigration ? ", with \(lacking ?? ""), which does not exist here" : "")
  }

  var remedy: String {
    if isLost { return LogBeginning.remedy }
    if needsMigration { return "run the migration that adds it, then sync again: \(Self.way)" }
    return
      (onlyKey.map {
        "if rows of the others break \($0), which only this store has, drop that key, then sync again; otherwise "
      } ?? "") + "nothing needs to be done: \(Self.way)"
  }

  /// What a store does if it needs what the others have forgotten.
  static let way =
    "after a day this store takes a baseline instead, and loses nothing; `tributary sync --reseed` does it at once"

  private var isLost: Bool { beginning.map { !$0.missing.isEmpty } ?? false }
}
