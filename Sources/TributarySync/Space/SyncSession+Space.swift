import TributaryContainer
import TributaryCore
import TributaryFiles
import TributarySQLite
import TributaryStore

extension SyncSession {
  /// A notice that the store exceeds its space limit, according to the last measurement; `nil` if it does
  /// not.
  var spaceNotice: SpaceNotice? { space.withLock(\.notice) }

  /// How own segments are compacted now: earlier when the limit is near.
  var compactionPolicy: SegmentPolicy {
    let policy = environment.segments
    return space.withLock(\.isNear) ? policy.compactingEarlier : policy
  }

  /// Measures again what counts towards the limit.
  func measureSpace() throws -> SpaceNotice? {
    try store.exchange { connection in
      do {
        try measureSpace(exchange(StoreIdentity(reading: connection), connection))
      } catch is ContainerError {
        // The previous measurement counts.
      }
    }
    return spaceNotice
  }

  /// Measures what counts towards the limit, if there is one.
  func measureSpace(_ exchange: Exchange) throws {
    let now = environment.clock.milliseconds()
    if space.withLock({ $0.isDue(now) }) {
      let limit = try Settings(exchange.connection).spaceLimit()
      space.withLock { $0.read(limit, at: now) }
    }
    guard space.withLock({ $0.limit != nil }) else { return }
    let measure = DiskMeasure(connection: exchange.connection, environment: environment)
    let used = try measure.published() + measure.baselines(of: exchange.own, in: exchange.directory)
    space.withLock { $0.used = used }
  }
}

extension Settings {
  /// Returns the limit of the store's disk use, in bytes; `nil` for none.
  package func spaceLimit() throws -> UInt64? {
    try integer(.spaceLimit).map { UInt64(clamping: $0) }
  }

  /// Sets the limit of the store's disk use; zero removes it.
  package func setSpaceLimit(_ bytes: UInt64) throws {
    try set(.spaceLimit, bytes == 0 ? nil : .integer(Int64(clamping: bytes)))
  }
}
