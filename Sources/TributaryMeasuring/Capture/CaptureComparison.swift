import TributaryStore

/// A workload run in alternation on plain SQLite, on a store, and with other software.
struct CaptureComparison {
  let options: Options
  let fixtures: Fixtures
  let workload: Workload

  private typealias Times = (wall: Double, processor: Double)

  func measure() throws -> Measurement {
    let files = try fixtures.databases(key: workload.key, indexes: workload.indexes)
    let input = workload.input(present: fixtures.present)
    var others =
      workload.operation == .read || workload.isByTriggers
      ? [] : options.peers.map { PeerTimes(peer: $0) }
    let run = PlainRun(workload: workload, input: input)
    var plain: [Times] = []
    var store: [Times] = []
    for _ in 0..<options.rounds {
      if !options.isForProfiling {
        plain.append(try fixtures.scratch.withCopy(of: files.plain) { try run.measure($0) })
      }
      store.append(
        try fixtures.scratch.withCopy(of: files.store) {
          try measure(run, $0)
        })
      for number in others.indices {
        others[number].add { peer in
          let file = try fixtures.database(of: peer, key: workload.key, indexes: workload.indexes)
          let times = try fixtures.scratch.withCopy(of: file.path) {
            try run.measure($0, peer: peer)
          }
          return (times.wall, file.form.rawValue)
        }
      }
    }
    let ratios = zip(store, plain).map { $0.wall / $1.wall }
    let scale = 1e6 / Double(workload.rows)
    let details = [
      (name: "plain µs/row", value: plain.map(\.wall).median * scale),
      (name: "store µs/row", value: store.map(\.wall).median * scale),
      (name: "processor", value: zip(store, plain).map { $0.processor / $1.processor }.median),
    ]
    return Measurement(
      value: ratios.median, rounds: ratios, details: details,
      others: others.map { $0.other(beside: plain.map(\.wall)) })
  }

  private func measure(_ run: PlainRun, _ path: String) throws -> Times {
    guard workload.isByTriggers else {
      return try StoreRun(workload: workload, input: run.input).measure(path)
    }
    // It is closed before the measurement, so that it writes nothing meanwhile.
    let store = try LocalStore.forMeasuring(path)
    try store.choose(.triggers)
    store.close()
    return try run.measure(path)
  }
}
