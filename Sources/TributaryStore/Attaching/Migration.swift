import TributaryCore
import TributaryLog
import TributarySQLite

/// A named step of an application's schema, in SQL or as a closure. Each runs once in each store, in a transaction of
/// its own, and never changes afterwards.
///
/// Foreign keys are off while it runs and checked at its end, so that tables can be built anew; nothing cascades.
///
/// A line of its SQL may be a directive:
///
/// - `-- tributary: rename album to record`, `-- tributary: rename album.label to album.publisher`: logs of before, and
///   of devices that have not been updated, still mean that table or column.
/// - `-- tributary: drop album`, `-- tributary: drop album.label`: what logs say of it is passed over from then on.
/// - `-- tributary: per device`: see `Rows.perDevice`.
public struct Migration: Sendable {
  /// Which device writes the rows that a migration writes.
  public enum Rows: String, Sendable {
    /// The first device that runs it: the rows come to all others from there. Seed rows, for example.
    case once
    /// Each device, for rows that only it has.
    case perDevice = "per device"
  }

  /// Its name, by which stores know that it has run.
  public var name: String
  /// The statements; empty if a closure makes the changes.
  public var sql: String
  /// Which device writes the rows. A directive in the SQL counts as well.
  public var rows: Rows
  /// What it renames and drops, in the words of the directives, besides those in its SQL.
  public var declarations: [String]
  let apply: (@Sendable (Database) throws -> Void)?

  /// Makes a migration in SQL.
  ///
  /// - Parameters:
  ///   - renames: the former and the new name of each table or column (`"album": "record"`,
  ///     `"album.label": "album.publisher"`) that the statements rename. Names with other characters stand in double
  ///     quotes, as in SQL.
  ///   - drops: the tables and columns that the statements drop.
  public init(
    name: String, sql: String, rows: Rows = .once, renames: KeyValuePairs<String, String> = [:],
    drops: [String] = []
  ) {
    self.name = name
    self.sql = sql
    self.rows = rows
    declarations = renames.map { "rename \($0) to \($1)" } + drops.map { "drop \($0)" }
    apply = nil
  }

  /// Makes a migration that a closure carries out, for what SQL alone cannot say. What the closure does is not
  /// recorded: it must not change afterwards.
  public init(
    name: String, rows: Rows = .once, renames: KeyValuePairs<String, String> = [:],
    drops: [String] = [], apply: @escaping @Sendable (Database) throws -> Void
  ) {
    self.name = name
    sql = ""
    self.rows = rows
    declarations = renames.map { "rename \($0) to \($1)" } + drops.map { "drop \($0)" }
    self.apply = apply
  }

  /// What is recorded of it: its SQL, followed by what was declared besides.
  var text: String {
    var lines = declarations
    if rows == .perDevice { lines.append(rows.rawValue) }
    if lines.isEmpty { return sql }
    return ([sql] + lines.map { "\(Directives.prefix) \($0)" }).joined(separator: "\n")
  }

  /// The text by which it is known: a tool that changes how lines end has changed nothing.
  private var plainText: String {
    text.utf8.contains(UInt8(ascii: "\r")) ? text.replacing("\r\n", with: "\n") : text
  }

  /// How transactions name it whose rows it has written: 16 hexadecimal digits.
  package var mark: String { Self.hash(name) }

  /// The digest of its text, 16 hexadecimal digits; empty if the text is not known, or a closure makes the changes.
  package var digest: String { text.isEmpty ? "" : Self.hash(plainText) }

  /// Returns the digests of the texts of migrations; nothing if no text is known.
  package static func digests(of migrations: [Migration]) -> [String] {
    let digests = migrations.map(\.digest)
    return digests.allSatisfy(\.isEmpty) ? [] : digests
  }

  private static func hash(_ text: String) -> String {
    Array(text.utf8).withUnsafeBytes { SegmentHash.hash($0) }.lowerHex
  }

  /// Records that the migration has run.
  func writeDown(in connection: Connection) throws {
    try connection.cached("INSERT INTO tributary_migration (name, sql) VALUES (?, ?)")
      .run(.string(name), .string(text))
  }

  /// Returns the migrations that have run in a store, in that order.
  package static func applied(in connection: Connection) throws -> [Migration] {
    let statement = try connection.cached("SELECT name, sql FROM tributary_migration ORDER BY id")
    defer { statement.reset() }
    var migrations: [Migration] = []
    while try statement.step() {
      migrations.append(Migration(name: statement.string(0), sql: statement.string(1)))
    }
    return migrations
  }
}

extension Migration: Equatable {
  /// Whether they have one name and one text, however its lines end. Nobody can compare closures.
  public static func == (a: Migration, b: Migration) -> Bool {
    a.name.utf8.elementsEqual(b.name.utf8) && a.plainText.utf8.elementsEqual(b.plainText.utf8)
  }
}
