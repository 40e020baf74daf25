import TributarySync

/// A container that many stores share.
struct ManyPeersCases {
  let options: Options
  let fixtures: Fixtures

  private static let peers = 100
  private static let segments = 10

  var all: [Case] {
    [
      Case(
        Figure(
          "sync: 100 peers, 10 new segments, beyond the import", .milliseconds, must: 20, goal: 5),
        measure)
    ]
  }

  private func measure() throws -> Measurement {
    let stores = try SharedStores(fixtures.scratch)
    let names = (1..<Self.peers).map { "peer\($0)" }
    for name in names + ["reader"] { try stores.attach(name) }
    // A store is known only after it has written something.
    for (number, name) in names.enumerated() {
      try stores.insert(name, rows: 1, from: number + 1, rowsPerTransaction: 1)
      try SharedStores.synchronize(stores.path(name))
    }
    try SharedStores.synchronize(stores.path("reader"))

    var next = Self.peers + 1
    let going = try SyncSession(store: .forMeasuring(stores.path("reader")))
    func time(_ session: SyncSession) throws -> Double {
      for name in names.prefix(Self.segments) {
        try stores.insert(name, rows: 1, from: next, rowsPerTransaction: 1)
        try SharedStores.synchronize(stores.path(name))
        next += 1
      }
      var imported = 0
      let time = try seconds {
        imported = try SharedStores.checked(session.synchronize()).imported.transactions
      }
      guard imported == Self.segments else {
        throw BenchmarkError("\(imported) of \(Self.segments) transactions were imported")
      }
      return time * 1000
    }
    _ = try time(going)
    var rounds: [Double] = []
    var again: [Double] = []
    var idle: [Double] = []
    for _ in 0..<options.rounds {
      // As with the command: nothing is known in advance.
      rounds.append(try time(SyncSession(store: .forMeasuring(stores.path("reader")))))
      again.append(try time(going))
      idle.append(try seconds { _ = try SharedStores.checked(going.synchronize()) } * 1000)
    }
    // The import itself takes as long as it does without other peers.
    let alone = try Self.fromOnePeer(Self.segments, fixtures.scratch, options.rounds)
    return Measurement(
      value: rounds.median - alone, rounds: rounds.map { $0 - alone },
      details: [
        (name: "the whole of it", value: rounds.median),
        (name: "taken off: the same from one peer", value: alone),
        (name: "the whole in a session that goes on", value: again.median),
        (name: "with nothing new", value: idle.median),
      ])
  }

  /// Returns the milliseconds for the same number of rows in a container of two stores and in one
  /// segment.
  static func fromOnePeer(_ rows: Int, _ scratch: Scratch, _ rounds: Int) throws -> Double {
    let stores = try SharedStores(scratch)
    for name in ["peer", "reader"] { try stores.attach(name) }
    return try (0..<rounds).map { round in
      try stores.insert("peer", rows: rows, from: round * rows + 1, rowsPerTransaction: 1)
      try SharedStores.synchronize(stores.path("peer"))
      let session = try SyncSession(store: .forMeasuring(stores.path("reader")))
      return try seconds { _ = try SharedStores.checked(session.synchronize()) } * 1000
    }.median
  }
}
