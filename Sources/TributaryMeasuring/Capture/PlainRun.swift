import CSQLite

/// A workload on plain SQLite.
struct PlainRun {
  let workload: Workload
  let input: Workload.Input

  func measure(_ path: String, peer: (any Peer)? = nil) throws -> (wall: Double, processor: Double)
  {
    let database = try PlainDatabase(path, isFullySynchronous: workload.isFullySynchronous)
    if workload.isConstrained { try database.execute("PRAGMA foreign_keys = ON") }
    let capture = try peer?.open(on: database)
    // After the time was measured. Nothing is lost if closing a connection of a measurement fails.
    defer { try? capture?.close() }
    return try measure(on: database, capture, by: timed)
  }

  /// Measures the workload.
  ///
  /// - Parameter measuring: runs its argument, and returns what it has measured.
  func measure<Result>(
    on database: PlainDatabase, _ capture: (any PeerCapture)? = nil,
    by measuring: (() throws -> Void) throws -> Result
  ) throws -> Result {
    let begin = try database.prepare(workload.operation == .read ? "BEGIN" : "BEGIN IMMEDIATE")
    let commit = try database.prepare("COMMIT")
    let statement = try database.prepare(workload.sql)
    let order = input.order
    return try measuring {
      var position = 0
      while position < order.count {
        let end = min(position + workload.rowsPerTransaction, order.count)
        try database.run(begin)
        while position < end {
          bind(position, order[position], to: statement)
          try database.run(statement)
          position += 1
        }
        try capture?.beforeCommit()
        try database.run(commit)
        try capture?.afterCommit()
      }
    }
  }

  @inline(__always)
  private func bind(_ position: Int, _ target: Int, to statement: OpaquePointer) {
    let track = input.targets.rows[target]
    switch workload.operation {
    case .insert: PlainRun.bind(track, key: workload.key, to: statement)
    case .update:
      PlainRun.text(statement, 1, input.titles.rows[position].title)
      sqlite3_bind_int64(statement, 2, Int64(position % 6))
      PlainRun.key(statement, 3, track, workload.key)
    case .delete, .read: PlainRun.key(statement, 1, track, workload.key)
    }
  }

  @inline(__always)
  static func bind(_ track: Tracks.Track, key: Workload.Key, to statement: OpaquePointer) {
    self.key(statement, 1, track, key)
    text(statement, 2, track.title)
    text(statement, 3, track.artist)
    text(statement, 4, track.album)
    text(statement, 5, track.genre)
    sqlite3_bind_int64(statement, 6, track.year)
    sqlite3_bind_double(statement, 7, track.duration)
    sqlite3_bind_int64(statement, 8, track.rating)
    text(statement, 9, track.path)
    sqlite3_bind_int64(statement, 10, track.added)
  }

  @inline(__always)
  private static func key(
    _ statement: OpaquePointer, _ index: Int32, _ track: Tracks.Track, _ key: Workload.Key
  ) {
    switch key {
    case .integer: sqlite3_bind_int64(statement, index, track.number)
    case .blob:
      _ = tributary_bind_blob(statement, index, track.key.baseAddress, UInt64(track.key.count), 0)
    }
  }

  @inline(__always)
  private static func text(
    _ statement: OpaquePointer, _ index: Int32, _ bytes: UnsafeRawBufferPointer
  ) {
    _ = tributary_bind_text(statement, index, bytes.baseAddress, UInt64(bytes.count), 0)
  }
}
