import TributaryCore
import TributarySQLite
import TributaryStore

extension SyncSession {
  /// Returns what the session has done until now. Reads no file and never waits.
  package func metrics() -> StoreMetrics { measured.withLock { $0 } }

  /// Records what a synchronisation has done.
  ///
  /// - Parameter isWhole: whether it has examined the container completely, and not only published.
  func measure(_ report: SyncReport, _ connection: Connection, isWhole: Bool = true) {
    let now = environment.clock.milliseconds()
    // A figure that cannot be read keeps its value: it is no reason to fail.
    let unpublished = report.failure == nil ? 0 : try? Self.unpublished(connection)
    let lag =
      report.imported.transactions > 0 ? try? lag(of: report.imported, now, connection) : nil
    measured.withLock { metrics in
      metrics.publishedTransactions += UInt64(report.published.transactions)
      metrics.publishedSegments += UInt64(report.published.segments)
      metrics.publishedBytes += UInt64(report.published.bytes)
      if report.imported.transactions > 0 { metrics.imports += 1 }
      metrics.importedTransactions += UInt64(report.imported.transactions)
      for entry in report.imported.changes {
        let changes = entry.changes
        metrics.importedRows += UInt64(
          changes.inserted.count + changes.updated.count + changes.deleted.count)
      }
      metrics.conflicts = report.conflicts
      metrics.unpublished = unpublished ?? metrics.unpublished
      metrics.lag = lag ?? metrics.lag
      if report.failure != nil {
        metrics.errors += 1
        metrics.failingSince = metrics.failingSince ?? now
        return
      }
      guard isWhole else { return }
      metrics.lastSuccess = now
      metrics.failingSince = nil
      metrics.waiting = report.waiting.count
      metrics.waitingSince = report.waiting.isEmpty ? nil : report.delays.map(\.since).min() ?? now
      metrics.damaged = report.damaged.count
    }
  }

  /// Records a look that found nothing new.
  func measureQuiet() {
    let now = environment.clock.milliseconds()
    measured.withLock { metrics in
      metrics.lastSuccess = now
      metrics.failingSince = nil
    }
  }

  /// Records that the store itself could not be used.
  package func measureFailure() {
    let now = environment.clock.milliseconds()
    measured.withLock { metrics in
      metrics.errors += 1
      metrics.failingSince = metrics.failingSince ?? now
    }
  }

  private static func unpublished(_ connection: Connection) throws -> Int {
    let last = try Outbox(connection).last()?.sequence ?? .zero
    let published = try SegmentTable(connection).last()
    return last > published ? Int(clamping: last.rawValue - published.rawValue) : 0
  }

  private func lag(
    of imported: SyncReport.Imported, _ now: UInt64, _ connection: Connection
  ) throws -> UInt64? {
    let peers = Set(imported.peers.map(\.peer))
    return try KnowledgeTable(connection).peers().filter { peers.contains($0.peer) }
      .map { now - min(now, $0.time.milliseconds) }.max()
  }
}
