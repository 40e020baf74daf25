import TributaryCore
import TributaryStore
import TributarySync

/// Databases with rows, made once and copied for each round.
final class Fixtures {
  let scratch: Scratch
  private(set) lazy var present = Tracks(Workload.presentRows)
  private var files: [String: (plain: String, store: String)] = [:]
  private var peerFiles: [String: Result<PeerFile, any Error>] = [:]

  init(_ scratch: Scratch) { self.scratch = scratch }

  /// Returns a plain database and a store with the same rows.
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

  /// A database with the same rows, managed by a peer.
  typealias PeerFile = (path: String, form: Workload.Form)

  /// Returns a database managed by a peer.
  ///
  /// - Throws: why the peer does not accept such a table, on every call.
  func database(of peer: any Peer, key: Workload.Key, indexes: Bool) throws -> PeerFile {
    let name = "present-\(peer.name)-\(key)-\(indexes)"
    let made = peerFiles[name] ?? Result { try make(name, peer, key, indexes) }
    peerFiles[name] = made
    return try made.get()
  }

  private func make(
    _ name: String, _ peer: any Peer, _ key: Workload.Key, _ indexes: Bool
  ) throws -> PeerFile {
    var refusal: (any Error)?
    for form in peer.forms {
      let path = scratch.file("\(name)-\(form).db")
      do {
        try fill(path, key: key, indexes: indexes, form: form)
        try peer.install(in: PlainDatabase(path))
        return (path, form)
      } catch {
        // Readers want to know what the peer says about the usual schema.
        refusal = refusal ?? error
      }
    }
    throw refusal ?? BenchmarkError("\(peer.name) takes no schema")
  }

  private func fill(
    _ path: String, key: Workload.Key, indexes: Bool, form: Workload.Form = .usual
  ) throws {
    let database = try PlainDatabase(path)
    try database.execute(Workload.schema(key: key, indexes: indexes, form: form))
    try fill(database, with: present, key: key)
  }

  /// Inserts rows in order, 10,000 per transaction.
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
