import TributaryCore
import TributarySQLite

/// The settings that a store keeps about itself.
package struct Settings {
  let connection: Connection

  package init(_ connection: Connection) { self.connection = connection }

  package enum Key: String, Sendable {
    case version, peer, container, tables, schema, examined, unresolved, birth, witness,
      left, delays, adopted, capture, captured, suspected, uncaptured, extensions, unmade, copied,
      corrections, place, ways, doubted, unwatched, causes,
      keyless, stopped, days, heard, written, retired, horizon, removed, clock, whole, names,
      migrated,
      follows, followed, reissued, stated, quiet, notes
    case numberings = "births"
    case keyForms = "key_forms"
    case spaceLimit = "space_limit"
    case horizonNotes = "horizon_notes"
    case horizonReaders = "horizon_readers"
    case horizonsBefore = "horizons_before"
    case missedCorrections = "missed_corrections"
    case peerName = "peer_name"
    case peerNames = "peer_names"
    case firstTime = "first_time"
    case contentRoot = "content_root"
    case contentName = "content_name"
    case schemaChanged = "schema_changed"
    case missingSince = "missing_since"
    case nextPeer = "next_peer"
    case missingKind = "missing_kind"
    case missingReason = "missing_reason"
  }

  /// The version of the bookkeeping that this code reads and writes.
  static let version: Int64 = 1

  package subscript(key: Key) -> Value? {
    get throws {
      let statement = try connection.cached("SELECT value FROM tributary_store WHERE key = ?")
      defer { statement.reset() }
      try statement.bind(.string(key.rawValue), at: 1)
      return try statement.step() ? statement.value(0) : nil
    }
  }

  /// Returns two values with one query; NULL for a setting that is absent.
  func values(_ first: Key, _ second: Key) throws -> (first: Value, second: Value) {
    let statement = try connection.cached(
      """
      SELECT (SELECT value FROM tributary_store WHERE key = ?),
        (SELECT value FROM tributary_store WHERE key = ?)
      """)
    defer { statement.reset() }
    try statement.bind(.string(first.rawValue), at: 1)
    try statement.bind(.string(second.rawValue), at: 2)
    guard try statement.step() else { return (.null, .null) }
    return (statement.value(0), statement.value(1))
  }

  package func text(_ key: Key) throws -> String? {
    if case .text(let bytes) = try self[key] { String(decoding: bytes, as: UTF8.self) } else { nil }
  }

  package func integer(_ key: Key) throws -> Int64? {
    if case .integer(let integer) = try self[key] { integer } else { nil }
  }

  /// Sets a value, or removes it with `nil`.
  package func set(_ key: Key, _ value: Value?) throws {
    try connection.atomic { try write(key, value) }
  }

  private func write(_ key: Key, _ value: Value?) throws {
    if let value {
      try connection.cached("INSERT OR REPLACE INTO tributary_store VALUES (?, ?)")
        .run(.string(key.rawValue), value)
    } else {
      try connection.cached("DELETE FROM tributary_store WHERE key = ?").run(.string(key.rawValue))
    }
  }

  /// Returns all settings except those with the given keys, as SQL text, in the order of their names.
  package func quoted(without keys: Set<Key>) throws -> [String] {
    let names = keys.map { "'\($0.rawValue)'" }.sorted().joined(separator: ", ")
    let statement = try connection.cached(
      """
      SELECT key || ' ' || quote(value) FROM tributary_store
      WHERE key NOT IN (\(names)) ORDER BY key
      """)
    defer { statement.reset() }
    var all: [String] = []
    while try statement.step() { all.append(statement.string(0)) }
    return all
  }

  /// Whether a database has bookkeeping at all.
  package static func exist(in connection: Connection) throws -> Bool {
    try connection.integer(
      "SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND name = 'tributary_store'") == 1
  }
}
