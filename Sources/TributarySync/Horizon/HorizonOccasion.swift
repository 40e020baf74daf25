import TributaryContainer
import TributaryCore
import TributaryFiles
import TributaryStore

/// Whether there is something to gain by a proposal (rule 17).
struct HorizonOccasion {
  let exchange: Exchange
  let policy: HorizonPolicy
  let isSpaceNear: Bool

  /// - Parameter moved: when the store last proposed or promised, in milliseconds since 1970; `nil` if it never did.
  /// - Complexity: asks for the sizes of all segments.
  func isGiven(since moved: UInt64?, _ now: UInt64) throws -> Bool {
    if isSpaceNear || moved != nil && HorizonNotes.hasPassed(policy.period, since: moved, now) {
      return true
    }
    let segments = exchange.listing.peers.flatMap(\.segments)
    if segments.count >= policy.fileCount { return true }
    let environment = exchange.environment
    let size = try environment.localFiles.status(exchange.connection.filePath)?.size ?? 0
    let logs = try environment.statuses(segments.map(\.path)).reduce(UInt64(0)) {
      $0 + ($1?.kind == .file ? $1?.size ?? 0 : 0)
    }
    return logs > 0 && logs >= size / policy.logShare
  }
}
