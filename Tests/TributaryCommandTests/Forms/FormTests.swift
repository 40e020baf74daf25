import Foundation
import Testing
import TributaryCommand
import TributaryCore
import TributarySQLite
import TributaryStore
import TributarySync
import TributaryTesting

/// Random tables and values of every form, from the write to whatever is made of the logs.
struct FormTests {
  static let seedsPerPart: UInt64 = 4
  static let parts: UInt64 = 4

  @Test(arguments: Soak.parts(Self.parts))
  func `tables and values of every form are the same wherever the logs go`(part: UInt64) throws {
    for seeds in Soak.seeds(part: part, of: Self.parts, otherwise: Self.seedsPerPart) {
      try withSeeds(seeds, filter: "TributaryCommandTests.FormTests") { random in
        try withTemporaryDirectory { directory in
          try live(FormRun(in: directory, random))
        }
        Soak.didFinish("FormTests")
      }
    }
    if Soak.histories != nil || Soak.minutes != nil { FormTally.printTotal() }
  }

  private func live(_ run: FormRun) throws {
    do {
      try goThrough(run)
    } catch {
      let script = run.schema.createStatements.joined(separator: ";\n")
      throw HarnessFailure(
        "\(error)\n\(script);\nafter these writes:\n\(run.writes.joined(separator: "\n"))")
    }
    run.tally.add()
  }

  private func goThrough(_ run: FormRun) throws {
    if let refusal = try run.attachFirst() {
      if Soak.histories != nil { print(refusal) }
      return
    }
    for _ in 0..<run.random.number(2...5) { try run.write("a") }
    try run.exchange("a")
    _ = try run.attach("b")
    try run.demandEqual("b", "a", "b from the logs")
    for name in ["b", "a", "b"] {
      try run.write(name)
      try run.exchange("a", "b")
      try run.demandEqual("b", "a", "after the exchange")
    }
    try export(run)
    // At once.
    for name in ["a", "b"] { try run.write(name, alone: false) }
    try run.exchange("a", "b")
    try run.demandEqual("b", "a", "after writes at once")
    for name in ["a", "b"] { try run.verify(name) }
    try replay(run)
    run.sessions["b"] = nil
    _ = try Engine.rebuild(store: run.stores.path("b"))
    run.sessions["b"] = try SyncSession(store: run.stores.path("b"))
    try run.demandEqual("b", "a", "b rebuilt")
    let baseline = try run.session("a").writeBaseline()
    let report = try run.attach("c")
    try demand(report.baseline == baseline.path, "c has not begun with the baseline")
    try run.demandEqual("c", "a", "c from the baseline")
    try run.write("c", alone: false)
    try run.exchange("c", "a", "b")
    for name in ["b", "c"] { try run.demandEqual(name, "a", "after a write by c") }
    try run.verify("c")
  }

  private func export(_ run: FormRun) throws {
    let exported = Invocation("log", "export", "--schema", run.stores.container)
    try demand(exported.status == .done, "log export: \(exported.errors)")
    guard run.schema.hasOneKeyEach else { return }
    let connection = try Connection(path: ":memory:", mode: .create)
    defer { connection.close() }
    try connection.execute(exported.output)
    let difference = try FormContents(connection, run.schema).difference(from: run.contents("a"))
    try demand(
      difference.isEmpty, "log export: \(difference.joined(separator: "\n"))\n\(exported.output)")
  }

  private func replay(_ run: FormRun) throws {
    if try run.stores.segments().isEmpty { return }
    let path = run.stores.directory + "/replayed.db"
    let replayed = Invocation("log", "replay", run.stores.container, "-o", path)
    try demand(replayed.status == .done, "log replay: \(replayed.errors)")
    let difference = try FormContents(of: path, run.schema).difference(from: run.contents("a"))
    try demand(difference.isEmpty, "log replay: \(difference.joined(separator: "\n"))")
  }
}
