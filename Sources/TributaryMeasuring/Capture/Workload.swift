/// The work on the table `tracks`, in plain SQLite and in a store.
struct Workload {
  enum Key: String { case integer, blob }

  /// The declaration of the table: not every peer accepts every form.
  enum Form: String, CaseIterable {
    case usual = ""
    /// NOT NULL columns have a default, including the key.
    case defaults = "schema with defaults"
    /// The key is a text.
    case textKey = "text key"
  }

  enum Operation: Equatable { case insert, update, delete, read }

  var operation: Operation
  var key = Key.integer
  var indexes = false
  /// Whether each row refers to a row of `years`, and has a UNIQUE key besides its primary key.
  var isConstrained = false
  var rowsPerTransaction: Int
  var rows: Int
  var isFullySynchronous = false
  /// Whether another program writes to the store, captured by triggers.
  var isByTriggers = false
  /// Whether updates write other columns.
  var isElsewhere = false

  /// The number of rows that exist before.
  static let presentRows = 100_000

  var schema: String { Self.schema(key: key, indexes: indexes, isConstrained: isConstrained) }

  static func schema(
    key: Key, indexes: Bool, isConstrained: Bool = false, form: Form = .usual
  ) -> String {
    let id =
      form == .textKey
      ? "id TEXT PRIMARY KEY NOT NULL"
      : key == .blob
        ? "id BLOB PRIMARY KEY NOT NULL"
        : "id INTEGER PRIMARY KEY" + (form == .usual ? "" : " NOT NULL")
    let name = "TEXT NOT NULL" + (form == .usual ? "" : " DEFAULT ''")
    var sql = """
      CREATE TABLE tracks (\(id), title \(name), artist \(name), album TEXT, genre TEXT,
        year INTEGER\(isConstrained ? " REFERENCES years (year)" : ""), duration REAL, rating INTEGER, path TEXT, added INTEGER);
      """
    if indexes {
      sql +=
        "CREATE INDEX tracks_artist ON tracks (artist); CREATE INDEX tracks_album ON tracks (album);"
    }
    if isConstrained {
      sql += """
        CREATE TABLE years (year INTEGER PRIMARY KEY);
        CREATE UNIQUE INDEX tracks_path ON tracks (path, added);
        """
    }
    return sql
  }

  /// The rows that those of a constrained table refer to.
  static let insertYears = """
    WITH RECURSIVE n (year) AS (SELECT 1950 UNION ALL SELECT year + 1 FROM n WHERE year < 2025)
    INSERT INTO years SELECT year FROM n
    """

  /// The columns besides the key.
  static let columns = [
    "title", "artist", "album", "genre", "year", "duration", "rating", "path", "added",
  ]

  static let insert = """
    INSERT INTO tracks (id, title, artist, album, genre, year, duration, rating, path, added)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
    """
  static let update = "UPDATE tracks SET title = ?, rating = ? WHERE id = ?"
  static let updateOthers = "UPDATE tracks SET album = ?, duration = ? WHERE id = ?"
  static let delete = "DELETE FROM tracks WHERE id = ?"
  static let read = "SELECT * FROM tracks WHERE id = ?"

  var sql: String {
    switch operation {
    case .insert: Self.insert
    case .update: isElsewhere ? Self.updateOthers : Self.update
    case .delete: Self.delete
    case .read: Self.read
    }
  }

  /// The rows that it works on, and their new values.
  struct Input {
    var targets: Tracks
    /// Positions in `targets`, in order of use.
    var order: [Int]
    /// The source of the titles of updates.
    var titles: Tracks
  }

  func input(present: Tracks) -> Input {
    if operation == .insert {
      let tracks = Tracks(rows, from: present.rows.count + 1, seed: 7)
      return Input(targets: tracks, order: Array(0..<rows), titles: tracks)
    }
    // Scattered rows, each at most once.
    var random = Randomness(seed: 3)
    let order = Array(Array(present.rows.indices).shuffled(using: &random).prefix(rows))
    return Input(targets: present, order: order, titles: Tracks(rows, seed: 9))
  }
}
