import TributaryCore
import TributarySQLite
import TributaryStore

/// What a baseline states besides rows and the bookkeeping of the merge.
enum BaselineFacts {
  /// The corrections with which the writer has read the logs, what migrations have renamed and dropped, and
  /// the migrations whose rows have been written.
  private static let keys: [Settings.Key] = [.corrections, .names, .migrated]

  static func read(_ connection: Connection) throws -> [String: Value] {
    let settings = Settings(connection)
    var facts: [String: Value] = [:]
    for key in keys { facts[key.rawValue] = try settings[key] }
    return facts
  }

  /// Records these facts in a store that is being made. What the store has already learned about names stays.
  ///
  /// - Throws: `BaselineImage.Unfit` for a renaming that cannot be read.
  static func write(_ facts: [String: Value], to connection: Connection) throws {
    let settings = Settings(connection)
    if case .text? = facts[Settings.Key.corrections.rawValue] {
      try settings.set(.corrections, facts[Settings.Key.corrections.rawValue])
    }
    var names = try NameChanges(connection)
    for line in lines(facts, .names) {
      guard let change = NameChange(line) else {
        throw BaselineImage.Unfit("it has a renaming that cannot be read: \(line)")
      }
      names.add([change])
    }
    if !names.isEmpty { try names.write(to: connection) }
    let migrated = lines(facts, .migrated)
    if migrated.isEmpty { return }
    var written = try WrittenMigrations(connection)
    written.add(lines: migrated)
    try written.write(to: connection)
  }

  private static func lines(_ facts: [String: Value], _ key: Settings.Key) -> [String] {
    if case .text(let text)? = facts[key.rawValue] {
      Settings.lines(String(decoding: text, as: UTF8.self))
    } else {
      []
    }
  }
}
