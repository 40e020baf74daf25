import Foundation
import Synchronization
import TributaryCore
import TributaryStore
import TributarySync

/// The time from a commit in one store to its commit in another on the same machine, while both are
/// watching.
struct PropagationCases {
  let options: Options
  let fixtures: Fixtures

  var all: [Case] {
    [
      Case(
        [
          Figure("propagation: idle, p50", .milliseconds, must: 5, goal: 1),
          Figure("propagation: idle, p99", .milliseconds, must: 25, goal: 3),
          Figure("propagation: 1,000 commits/s, p99", .milliseconds, must: 150, goal: 50),
        ], measure),
      Case(
        Figure("idle: 100 stores watching, processor", .percent, must: 0.5, goal: 0.1), idle),
    ]
  }

  private func measure() throws -> [Measurement] {
    let stores = try SharedStores(fixtures.scratch)
    for name in ["author", "reader"] { try stores.attach(name) }
    let author = try LocalStore.forMeasuring(stores.path("author"))
    let arrivals = Arrivals(of: try author.identity().peer)
    let writing = WatchingStore(author) { _ in }
    let reading = WatchingStore(try .forMeasuring(stores.path("reader"))) { arrivals.note($0) }
    defer {
      writing.stop()
      reading.stop()
    }
    let count = options.isQuick ? 3000 : 6000
    let tracks = Tracks(count + 500)
    var next = 0
    func commit() throws {
      let track = tracks.rows[next]
      next += 1
      try author.write { database in
        _ = try database.execute(
          "INSERT INTO tracks (id, title, artist) VALUES (?, 'title', 'artist')", track.number)
      }
      arrivals.committed()
    }
    let idle = options.isQuick ? 100 : 300
    for _ in 0..<idle {
      try commit()
      try arrivals.wait(for: next)
      // Longer than the time in which commits are grouped.
      usleep(40_000)
    }
    let start = now()
    for number in 0..<count {
      let wait = start + Double(number) / 1000 - now()
      if wait > 0 { usleep(UInt32(wait * 1e6)) }
      try commit()
    }
    let rate = Double(count) / (now() - start)
    try arrivals.wait(for: next)
    let latencies = arrivals.latencies
    let alone = Array(latencies[..<idle])
    let crowded = Array(latencies[idle...])
    return [
      Measurement(value: alone.median),
      Measurement(value: alone.quantile(0.99), details: [(name: "commits", value: Double(idle))]),
      Measurement(
        value: crowded.quantile(0.99),
        details: [(name: "p50", value: crowded.median), (name: "commits/s", value: rate)]),
    ]
  }

  private func idle() throws -> Measurement {
    var watching: [WatchingStore] = []
    defer { for store in watching { store.stop() } }
    for _ in 0..<100 {
      let stores = try SharedStores(fixtures.scratch)
      try stores.attach("idle")
      watching.append(WatchingStore(try .forMeasuring(stores.path("idle"))) { _ in })
    }
    // Each store checks again after ten seconds; from the third time on, it only checks whether
    // anything has changed.
    sleep(22)
    let before = now(CLOCK_PROCESS_CPUTIME_ID)
    let duration = options.isQuick ? 10.0 : 20.0
    sleep(UInt32(duration))
    let used = now(CLOCK_PROCESS_CPUTIME_ID) - before
    return Measurement(value: 100 * used / duration)
  }
}
