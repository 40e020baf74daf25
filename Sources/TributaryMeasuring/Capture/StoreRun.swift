import TributaryCore
import TributaryStore

/// A workload on a store.
struct StoreRun {
  let workload: Workload
  let input: Workload.Input

  func measure(_ path: String) throws -> (wall: Double, processor: Double) {
    let store = try LocalStore.forMeasuring(
      path, synchronous: workload.isFullySynchronous ? .full : .normal)
    return try timed { try run(on: store) }
  }

  func run(on store: LocalStore) throws {
    var position = 0
    while position < input.order.count {
      let end = min(position + workload.rowsPerTransaction, input.order.count)
      if workload.operation == .read {
        try store.read { try perform(position..<end, $0) }
      } else {
        try store.write { try perform(position..<end, $0) }
      }
      position = end
    }
  }

  @inline(__always)
  private func perform(_ positions: Range<Int>, _ database: Database) throws {
    let statement = try database.prepare(workload.sql)
    for position in positions {
      try bind(position, input.order[position], to: statement)
      try statement.run()
    }
  }

  @inline(__always)
  private func bind(_ position: Int, _ target: Int, to statement: PreparedStatement) throws {
    let track = input.targets.rows[target]
    switch workload.operation {
    case .insert:
      try bind(key: track, 1, statement)
      try statement.bind(borrowedText: track.title, at: 2)
      try statement.bind(borrowedText: track.artist, at: 3)
      try statement.bind(borrowedText: track.album, at: 4)
      try statement.bind(borrowedText: track.genre, at: 5)
      try statement.bind(track.year, at: 6)
      try statement.bind(track.duration, at: 7)
      try statement.bind(track.rating, at: 8)
      try statement.bind(borrowedText: track.path, at: 9)
      try statement.bind(track.added, at: 10)
    case .update:
      try statement.bind(borrowedText: input.titles.rows[position].title, at: 1)
      try statement.bind(Int64(position % 6), at: 2)
      try bind(key: track, 3, statement)
    case .delete, .read: try bind(key: track, 1, statement)
    }
  }

  @inline(__always)
  private func bind(
    key track: Tracks.Track, _ index: Int, _ statement: PreparedStatement
  ) throws {
    switch workload.key {
    case .integer: try statement.bind(track.number, at: index)
    case .blob: try statement.bind(borrowedBlob: track.key, at: index)
    }
  }
}

extension LocalStore {
  static func forMeasuring(
    _ path: String, synchronous: SynchronousMode = .normal
  ) throws -> LocalStore {
    let clock = SystemMilliseconds()
    return try LocalStore(path: path, milliseconds: { clock.now }, synchronous: synchronous)
  }
}
