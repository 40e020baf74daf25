internal import TributarySQLite

/// The last writers of each row, in a temporary database without a name that disappears with this
/// process: the rows of a log may exceed the memory.
final class RowStates {
  private let connection: Connection
  private let selection: Statement
  private let insertion: Statement
  private let deletion: Statement

  /// The largest part of it that is in memory, in KiB.
  private static let cacheKibibytes = 32 << 10

  /// Makes the database.
  ///
  /// - Throws: `SQLiteError` if there is no space for temporary files.
  init() throws {
    // An empty path makes such a database: https://www.sqlite.org/inmemorydb.html#temp_db
    connection = try Connection(path: "", mode: .create)
    try connection.execute(
      """
      PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF;
      PRAGMA cache_size = -\(Self.cacheKibibytes);
      CREATE TABLE rows (id INTEGER PRIMARY KEY, writers BLOB NOT NULL);
      BEGIN
      """)
    selection = try connection.prepare("SELECT writers FROM rows WHERE id = ?", persistent: true)
    insertion = try connection.prepare("REPLACE INTO rows VALUES (?, ?)", persistent: true)
    deletion = try connection.prepare("DELETE FROM rows WHERE id = ?", persistent: true)
  }

  /// Returns the writers of a row; none for a row that no peer has written.
  func writers(of row: Int64) throws -> [RowWriter] {
    try selection.bind(row, at: 1)
    defer { selection.reset() }
    guard try selection.step() else { return [] }
    let bytes = selection.bytes(0)
    let words = [UInt64](unsafeUninitializedCapacity: bytes.count / 8) { words, count in
      UnsafeMutableRawBufferPointer(words).copyMemory(from: bytes)
      count = bytes.count / 8
    }
    return RowWriter.writers(words)
  }

  func set(_ writers: [RowWriter], of row: Int64) throws {
    if writers.isEmpty {
      try deletion.bind(row, at: 1)
      return try deletion.run()
    }
    var words: [UInt64] = []
    for writer in writers { writer.append(to: &words) }
    try words.withUnsafeBytes { bytes in
      try insertion.bind(row, at: 1)
      try insertion.bind(borrowedBlob: bytes, at: 2)
      try insertion.run()
    }
  }
}
