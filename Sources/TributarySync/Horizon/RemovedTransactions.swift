import TributaryCore
import TributarySQLite
import TributaryStore

/// How far this store has removed its own log on purpose. The transactions of its segments up to this one are
/// in baselines, and no store publishes them again.
struct RemovedTransactions {
  private let settings: Settings

  init(_ connection: Connection) { settings = Settings(connection) }

  /// The last transaction whose segment was removed; zero if none was.
  var last: SequenceNumber {
    get throws { SequenceNumber(UInt64(clamping: try settings.integer(.removed) ?? 0)) }
  }

  func note(upTo last: SequenceNumber) throws {
    try settings.set(.removed, .integer(Int64(clamping: last.rawValue)))
  }

  /// Forgets it. Under another identity, the log begins anew.
  func clear() throws { try settings.set(.removed, nil) }
}
