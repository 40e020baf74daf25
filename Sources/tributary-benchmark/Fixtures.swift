import TributaryCore
import TributaryStore
import TributarySync

/// Databases with rows in them, made once and copied for each round.
final class Fixtures {
  let scratch: Scratch
  private(set) lazy var present = Tracks(Workload.presentRows)
  private var files: [String: (plain: String, store: String)] = [:]

  init(_ scratch: Scratch) { self.scratch = scratch }

  /// A plain database and a store with the same rows.
  func databases(key: Workload.Key, indexes: Bool) throws -> (plain: String, store: String) {
    let name = "present-\(key)-\(indexes)"
    if let known = files[name] { return known }
    let plain = scratch.file(name + ".db")
    try fill(plain, key: key, indexes: indexes)
    let store = scratch.file(name + "-store.db")
    try fill(store, key: key, indexes: indexes)
    let container = try scratch.makeDirectory("container")
    _ = try Engine.attach(AttachRequest(store: store, container: container, contentName: "Tracks"))
    files[name] = (plain, store)
    return (plain, store)
  }

  private func fill(_ path: String, key: Workload.Key, indexes: Bool) throws {
    let database = try PlainDatabase(path)
    try database.execute(Workload.schema(key: key, indexes: indexes))
    try fill(database, with: present, key: key)
  }

  /// Inserts in order, 10,000 rows in a transaction.
  func fill(_ database: PlainDatabase, with tracks: Tracks, key: Workload.Key) throws {
    let insert = try database.prepare(Workload.insert)
    var position = 0
    while position < tracks.rows.count {
      let end = min(position + 10_000, tracks.rows.count)
      try database.execute("BEGIN IMMEDIATE")
      while position < end {
        PlainRun.bind(tracks.rows[position], key: key, to: insert)
        try database.run(insert)
        position += 1
      }
      try database.execute("COMMIT")
    }
  }
}
