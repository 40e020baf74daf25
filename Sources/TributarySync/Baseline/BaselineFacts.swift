import TributaryCore
import TributarySQLite
import TributaryStore

/// What a baseline says beside rows and the bookkeeping of the merge.
enum BaselineFacts {
  /// The corrections by which the writer has read the logs.
  private static let corrections = "corrections"

  static func read(_ connection: Connection) throws -> [String: Value] {
    let settings = Settings(connection)
    return try settings[.corrections].map { [corrections: $0] } ?? [:]
  }

  static func write(_ facts: [String: Value], to connection: Connection) throws {
    guard case .text? = facts[corrections] else { return }
    try Settings(connection).set(.corrections, facts[corrections])
  }
}
