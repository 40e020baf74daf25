/// The command as a process.
struct CommandCases {
  let options: Options
  let fixtures: Fixtures

  private static let runs = 30

  var all: [Case] {
    [Case(Figure("command: status of a small store", .milliseconds, must: 25, goal: 10), status)]
  }

  private func status() throws -> Measurement {
    let stores = try SharedStores(fixtures.scratch)
    try stores.attach("small")
    let times = try (0..<Self.runs).map { _ in
      try BuiltCommand.time(["status", stores.path("small")]) * 1000
    }
    return Measurement(value: times.median, details: [(name: "p99", value: times.quantile(0.99))])
  }
}
