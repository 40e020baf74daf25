/// Merging what a peer has recorded of insertions into an empty database.
struct PeerMerge {
  private(set) var times: PeerTimes
  private let run: PlainRun
  private var files: (source: String, empty: String, form: Workload.Form)?

  /// Prepares the merge.
  ///
  /// - Returns: `nil` for a peer that does not merge.
  init?(_ peer: any Peer, of run: PlainRun, _ scratch: Scratch) {
    guard peer.merges else { return nil }
    times = PeerTimes(peer: peer)
    self.run = run
  }

  mutating func measure(_ scratch: Scratch) {
    var files = files
    times.add { [run] peer in
      let present = try files ?? Self.prepare(peer, run, scratch)
      files = present
      let time = try scratch.withCopy(of: present.empty) { path in
        let source = try PlainDatabase(present.source)
        let target = try PlainDatabase(path)
        let reading = try peer.open(on: source)
        let writing = try peer.open(on: target)
        // Nothing is lost if closing a connection of a measurement fails.
        defer { for capture in [reading, writing] { try? capture.close() } }
        let time = try seconds { try peer.merge(from: source, into: target) }
        let rows = try target.number("SELECT count(*) FROM tracks")
        guard Int(rows) == run.workload.rows else {
          throw BenchmarkError("\(Int(rows)) of \(run.workload.rows) rows arrived")
        }
        return time
      }
      return (time, present.form.rawValue)
    }
    self.files = files
  }

  private static func prepare(
    _ peer: any Peer, _ run: PlainRun, _ scratch: Scratch
  ) throws -> (source: String, empty: String, form: Workload.Form) {
    var refusal: (any Error)?
    for form in peer.forms {
      let schema = Workload.schema(
        key: run.workload.key, indexes: run.workload.indexes, form: form)
      let paths = ["source", "empty"].map { scratch.file("merge-\(peer.name)-\(form)-\($0).db") }
      do {
        for path in paths {
          let database = try PlainDatabase(path)
          try database.execute(schema)
          try peer.install(in: database)
        }
        _ = try run.measure(paths[0], peer: peer)
        return (paths[0], paths[1], form)
      } catch {
        refusal = refusal ?? error
      }
    }
    throw refusal ?? BenchmarkError("\(peer.name) takes no schema")
  }
}
