import TributaryContainer
import TributaryCore
import TributaryFiles
import TributaryStore

/// What a proposal would gain (rule 17).
struct HorizonOccasion {
  private let exchange: Exchange
  private let policy: HorizonPolicy
  /// The size of the database, in bytes.
  private let database: UInt64
  /// The size of all segments in the container, in bytes.
  private let logs: UInt64
  /// The size, in bytes, of the largest baseline in the container, which is one compressed copy; zero if
  /// there is none.
  private let copy: UInt64

  /// Determines the sizes.
  ///
  /// - Complexity: asks for the sizes of all segments and baselines.
  init(
    _ exchange: Exchange, _ policy: HorizonPolicy, _ baselines: [DeclaredBaselines.Baseline]
  ) throws {
    self.exchange = exchange
    self.policy = policy
    let environment = exchange.environment
    database = try environment.localFiles.status(exchange.connection.filePath)?.size ?? 0
    func sizes(_ paths: [String]) throws -> [UInt64] {
      try environment.statuses(paths).compactMap { $0?.kind == .file ? $0?.size : nil }
    }
    logs = try sizes(exchange.listing.peers.flatMap(\.segments).map(\.path)).reduce(0, +)
    copy =
      try sizes(baselines.map { exchange.baselines(of: $0.peer).path(of: $0.name) }).max() ?? 0
  }

  /// Whether a proposal is due.
  ///
  /// - Parameter moved: when the store last proposed or promised, in milliseconds since 1970; `nil` if it
  ///   never did.
  func isGiven(isSpaceNear: Bool, since moved: UInt64?, _ now: UInt64) -> Bool {
    isSpaceNear || moved != nil && HorizonNotes.hasPassed(policy.period, since: moved, now)
      || exchange.listing.peers.reduce(0) { $0 + $1.segments.count } >= policy.fileCount
      || logs > 0 && (logs >= database / policy.logShare || copy > 0 && logs >= copy)
  }

  /// For how many silent days a peer is waited for: fewer if the logs that are kept for it are larger than a
  /// compressed copy of all data.
  var patience: Int {
    logs > (copy > 0 ? copy : database)
      ? min(policy.patience, policy.crowdedPatience) : policy.patience
  }
}
