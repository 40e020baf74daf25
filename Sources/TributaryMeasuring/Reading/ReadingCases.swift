import TributaryContainer
import TributaryLog
import TributaryReplay

/// Reading logs without a store.
struct ReadingCases {
  let options: Options
  let fixtures: Fixtures

  private static let segments = 10_000

  var all: [Case] {
    [
      Case(
        Figure("log verify", .gigabytesPerSecond, must: 0.5, goal: nil, .atLeast), verify),
      Case(
        Figure("log list: 10,000 segments", .milliseconds, must: 150, goal: nil), list),
    ]
  }

  /// Measures the rate of reading the payload, in uncompressed bytes.
  private func verify() throws -> Measurement {
    let stores = try SharedStores(fixtures.scratch)
    try stores.attach("author")
    try stores.insert("author", rows: options.rows, rowsPerTransaction: 100)
    try SharedStores.synchronize(stores.path("author"))
    let bytes = Double(try stores.log(of: "author").payloadByteCount())

    var rounds: [Double] = []
    var commands: [Double] = []
    for _ in 0..<options.rounds {
      let time = try seconds {
        let verification = LogVerification(try LogSearch().logs(at: [stores.container])) {
          throw BenchmarkError("\($0.path): \($0.message)")
        }
        _ = try verification.run()
      }
      rounds.append(bytes / time / 1e9)
      commands.append(try BuiltCommand.time(["log", "verify", stores.container]) * 1000)
    }
    return Measurement(
      value: rounds.median, rounds: rounds,
      details: [
        (name: "payload MB", value: bytes / 1e6), (name: "command ms", value: commands.median),
      ])
  }

  private func list() throws -> Measurement {
    let stores = try SharedStores(fixtures.scratch)
    try stores.attach("author")
    try stores.insert("author", rows: Self.segments, rowsPerTransaction: 1)
    try SharedStores.synchronize(stores.path("author"))
    try stores.log(of: "author").split(transactionsPerSegment: 1)
    let times = try (0..<options.rounds).map { _ in
      try BuiltCommand.time(["log", "list", stores.container]) * 1000
    }
    return Measurement(value: times.median, rounds: times)
  }
}
