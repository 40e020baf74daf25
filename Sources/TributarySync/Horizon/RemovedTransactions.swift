import TributaryCore
import TributarySQLite
import TributaryStore

/// How far this store has removed its own log on purpose. The transactions of its segments up to this one are
/// in baselines, and no store publishes them again.
struct RemovedTransactions {
  private let connection: Connection
  private var settings: Settings { Settings(connection) }

  init(_ connection: Connection) { self.connection = connection }

  /// The last transaction whose segment was removed; zero if none was.
  var last: SequenceNumber {
    get throws { SequenceNumber(UInt64(clamping: try settings.integer(.removed) ?? 0)) }
  }

  func note(upTo last: SequenceNumber) throws {
    try settings.set(.removed, .integer(Int64(clamping: last.rawValue)))
  }

  /// The time of the first transaction under the present identity, even if its record was removed; `nil` if
  /// there is none. A store that was restored, or is a copy, states it for each identity that it has left.
  var firstTime: HybridTime? {
    get throws {
      let first = SequenceNumber(1)
      return try Outbox(connection).records(from: first, to: first).first?.time
        ?? settings.integer(.firstTime).map { HybridTime(rawValue: UInt64(bitPattern: $0)) }
    }
  }

  /// Removes records, and keeps the time of the first transaction.
  func removeRecords(upTo last: SequenceNumber) throws {
    if let time = try firstTime {
      try settings.set(.firstTime, .integer(Int64(bitPattern: time.rawValue)))
    }
    try Outbox(connection).remove(upTo: last)
  }

  /// Forgets this. Under another identity, the log begins anew.
  func clear() throws {
    try settings.set(.removed, nil)
    try settings.set(.firstTime, nil)
  }
}
