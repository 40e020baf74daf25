import Foundation

/// The command as a process.
struct CommandCases {
  let options: Options
  let fixtures: Fixtures

  var all: [Case] {
    [Case(Figure("command: status of a small store", .milliseconds, must: 25, goal: 10), status)]
  }

  private func status() throws -> Measurement {
    guard
      let command = Bundle.main.executableURL?.deletingLastPathComponent().appending(
        path: "tributary"),
      FileManager.default.isExecutableFile(atPath: command.path)
    else { throw BenchmarkError("there is no executable tributary beside this one") }
    let stores = try SharedStores(fixtures.scratch)
    try stores.attach("small")
    var times: [Double] = []
    for _ in 0..<30 {
      let time = try seconds {
        try ChildProcess.run([command.path, "status", stores.path("small")], silent: true)
      }
      times.append(time * 1000)
    }
    return Measurement(value: times.median, details: [(name: "p99", value: times.quantile(0.99))])
  }
}
