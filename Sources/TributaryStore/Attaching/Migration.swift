import TributaryCore
import TributaryLog
import TributarySQLite

/// A named step of an application's schema, in SQL or as a closure. Each migration runs once in each store,
/// in a transaction of its own, and never changes afterwards.
///
/// Foreign keys are off while it runs and are checked when it ends, so that tables can be rebuilt; nothing
/// cascades.
///
/// A line of its SQL may be a directive:
///
/// - `-- tributary: rename album to record`, `-- tributary: rename album.label to album.publisher`: older
///   logs, and logs of devices that have not been updated, still mean that table or column.
/// - `-- tributary: drop album`, `-- tributary: drop album.label`: from then on, what logs say about that
///   table or column is skipped.
/// - `-- tributary: per device`: see `Rows.perDevice`.
public struct Migration: Sendable {
  /// The first device that runs it writes the rows; all others get them from there. Use this for seed rows,
  /// for example.
  public enum Rows: String, Sendable {
    /// Each device writes them, for rows that only it has.
    case once
    /// Each device writes rows of its own.
    case perDevice = "per device"
  }

  /// Its name, by which stores know whether it has run.
  public var name: String
  /// The statements; empty if a closure makes the changes.
  public var sql: String
  /// Which device writes the rows. A directive in the SQL has the same effect.
  public var rows: Rows
  /// What it renames and drops, worded like the directives, in addition to those in its SQL.
  public var declarations: [String]
  let apply: (@Sendable (Database) throws -> Void)?

  /// Makes a migration in SQL.
  ///
  /// - Parameters:
  ///   - renames: the former and the new name of each table or column (`"album": "record"`,
  ///     `"album.label": "album.publisher"`) that the statements rename. Put names with other characters in
  ///     double quotes, as in SQL.
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

  /// Makes a migration that a closure carries out, for what SQL alone cannot express. What the closure does
  /// is not recorded: it must not change afterwards.
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

  /// What is recorded of it: its SQL, followed by the additional declarations.
  var text: String {
    var lines = declarations
    if rows == .perDevice { lines.append(rows.rawValue) }
    if lines.isEmpty { return sql }
    return ([sql] + lines.map { "\(Directives.prefix) \($0)" }).joined(separator: "\n")
  }

  /// The text that identifies it: a tool that only changes line endings has changed nothing.
  private var plainText: String {
    text.utf8.contains(UInt8(ascii: "\r")) ? text.replacing("\r\n", with: "\n") : text
  }

  /// The mark by which transactions with its rows name it: 16 hexadecimal digits.
  package var mark: String { Self.hash(name) }

  /// The digest of its text, as 16 hexadecimal digits; empty if the text is not known, or a closure makes the
  /// changes.
  package var digest: String { text.isEmpty ? "" : Self.hash(plainText) }

  /// Returns the digests of the texts of migrations; empty if no text is known.
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

  /// Returns the migrations that have run in a store, in the order in which they ran.
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
  /// Whether both have the same name and the same text, regardless of line endings. Closures cannot be
  /// compared.
  public static func == (a: Migration, b: Migration) -> Bool {
    a.name.utf8.elementsEqual(b.name.utf8) && a.plainText.utf8.elementsEqual(b.plainText.utf8)
  }
}
