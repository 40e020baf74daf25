import CSQLite

/// Triggers that keep a clock for each cell: the version in which it was last written, and where.
///
/// Replicators that merge by reading tables instead of logs work like this; this is the simplest form.
struct CellClockPeer: Peer {
  let name = "cell clocks"

  /// The number of this site, which earlier contents also belong to.
  private static let site = 0
  /// The placeholder for the row itself, used when it was deleted.
  private static let rowColumn = -1

  func install(in database: PlainDatabase) throws {
    try database.execute(
      """
      CREATE TABLE clock (version INTEGER NOT NULL);
      INSERT INTO clock VALUES (1);
      CREATE TABLE tracks_clock (
        id NOT NULL, cell INTEGER NOT NULL, version INTEGER NOT NULL, site INTEGER NOT NULL,
        PRIMARY KEY (id, cell)) WITHOUT ROWID;
      """)
    let columns = Workload.columns
    let cells = columns.indices.map { "(\($0))" }.joined(separator: ", ")
    let all = columns.indices.map { note("new.id", $0) }
    try database.execute(
      """
      WITH cells (cell) AS (VALUES \(cells))
      INSERT INTO tracks_clock SELECT id, cell, 0, \(Self.site) FROM tracks, cells ORDER BY 1, 2;
      CREATE TRIGGER clock_insert AFTER INSERT ON tracks BEGIN
        INSERT INTO tracks_clock VALUES \(all.joined(separator: ", ")) \(Self.orLater);
      END;
      CREATE TRIGGER clock_delete AFTER DELETE ON tracks BEGIN
        DELETE FROM tracks_clock WHERE id = old.id;
        INSERT INTO tracks_clock VALUES \(note("old.id", Self.rowColumn));
      END;
      """)
    for (number, column) in columns.enumerated() {
      try database.execute(
        """
        CREATE TRIGGER clock_update_\(column) AFTER UPDATE OF \(column) ON tracks
        WHEN new.\(column) IS NOT old.\(column) BEGIN
          INSERT INTO tracks_clock VALUES \(note("new.id", number)) \(Self.orLater);
        END
        """)
    }
  }

  private func note(_ key: String, _ cell: Int) -> String {
    "(\(key), \(cell), (SELECT version FROM clock), \(Self.site))"
  }

  private static let orLater = """
    ON CONFLICT (id, cell) DO UPDATE SET version = excluded.version, site = excluded.site
    """

  func open(on database: PlainDatabase) throws -> any PeerCapture { try Capture(database) }

  /// Each transaction is a version.
  private struct Capture: PeerCapture {
    let database: PlainDatabase
    let advance: OpaquePointer

    init(_ database: PlainDatabase) throws {
      self.database = database
      advance = try database.prepare("UPDATE clock SET version = version + 1")
    }

    func beforeCommit() throws { try database.run(advance) }
  }
}
