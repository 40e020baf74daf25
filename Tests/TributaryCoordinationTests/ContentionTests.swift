import Foundation
import Testing
import TributaryCoordination
import TributaryFiles
import TributaryTesting

/// Processes that use the same items, and are killed.
struct ContentionTests {
  @Test func `processes never overlap, whatever is killed, and all go on`() async throws {
    try await withSeeds(0..<1) { random in
      try await Ground.with(1) { ground in
        try ground.make("directory/c")
        try ground.make("package/DocumentMetadata.plist")
        try FileManager.default.createDirectory(
          atPath: ground.root + ".witness", withIntermediateDirectories: false)
        var running: [Contender] = []
        for _ in 0..<3 { running.append(try start(ground, &random)) }
        for _ in 0..<25 {
          let index = random.number(0...2)
          try await Task.sleep(for: .milliseconds(random.number(0...60)))
          try running[index].kill()
          running[index] = try start(ground, &random)
        }
        // None of those that remain waits for what a killed one held.
        for contender in running {
          let before = contender.lines.all.count
          try await until { contender.lines.all.count > before + 10 }
        }
        for contender in running { try contender.kill() }
        try await ground.coordinator(0).coordinate(writingItemAt: ground.url()) { _ in }
      }
    }
  }

  private func start(_ ground: Ground, _ random: inout SeededGenerator) throws -> Contender {
    try Contender(ground, "contend", "\(random.number(0...1_000_000))", "3")
  }

  @Test func `a writer gets its turn among readers of other processes that never pause`()
    async throws
  {
    try await Ground.with(1) { ground in
      let readers = try (0..<2).map { _ in try Contender(ground, "read", "a", "3") }
      for reader in readers { try await until { reader.lines.all == ["reading"] } }
      for _ in 0..<10 {
        try await ground.coordinator(0).coordinate(writingItemAt: ground.url("a")) { _ in }
      }
      for reader in readers { try reader.kill() }
    }
  }

  @Test func `what a killed process held is free, and its change is announced`() async throws {
    try await Ground.with(1) { ground in
      let presenter = NotedPresenter(ground.url("a"))
      let holder = try Contender(ground, "hold")
      try await until { holder.lines.all == ["held"] }
      try FileCoordinator.add(presenter, to: ground.domains[0])
      let task = Task {
        try await ground.coordinator(0).coordinate(readingItemAt: ground.url("a")) { _ in
          presenter.note("read")
        }
      }
      try await ground.untilWaiting(1)
      try holder.kill()
      try await task.value
      try await until { presenter.notes.all.last == "reacquire" }
      #expect(presenter.notes.all == ["changed", "reader", "save", "read", "reacquire"])
    }
  }

  @Test func `processes that wait for each other are told so by name`() async throws {
    try await Ground.with(1) { ground in
      let first = try Contender(ground, "chain", "a", "b")
      let second = try Contender(ground, "chain", "b", "a")
      for contender in [first, second] { try await until { contender.lines.all == ["held"] } }
      first.tell()
      try await ground.untilWaiting(1)
      second.tell()
      // The first gets both as soon as the second has given up.
      try await until { first.lines.all.count == 2 && second.lines.all.count == 2 }
      #expect(first.lines.all == ["held", "both"])
      let message = try #require(second.lines.all.last)
      #expect(message.hasPrefix("deadlock: writing \(ground.url("a").path) would wait for ever"))
      #expect(message.contains("process \(first.number) (tributary-conte)"))
      #expect(message.contains("writes \(ground.url("a").path)"))
      #expect(message.contains("waits to write \(ground.url("b").path)"))
      try first.kill()
      try second.kill()
    }
  }

  @Test func `a presenter in another process is asked and told`() async throws {
    try await Ground.with(1) { ground in
      let presenter = try Contender(ground, "present")
      try await until { presenter.lines.all == ["added"] }
      try await ground.coordinator(0).coordinate(readingItemAt: ground.url()) { _ in }
      try await ground.coordinator(0).coordinate(writingItemAt: ground.url("b")) {
        try Data().write(to: $0)
      }
      try await ground.coordinator(0).coordinate(
        writingItemAt: ground.url(), options: .forDeleting
      ) { _ in }
      let expected = [
        "added", "reader", "save", "reacquired", "appeared b", "writer", "deletion", "changed",
        "reacquired",
      ]
      try await until { presenter.lines.all.count == expected.count }
      #expect(presenter.lines.all == expected)
      try presenter.kill()
    }
  }

  @Test func `nobody waits for a presenter whose process was killed`() async throws {
    try await Ground.with(1) { ground in
      let presenter = try Contender(ground, "present", "silent")
      try await until { presenter.lines.all == ["added"] }
      let task = Task {
        try await ground.coordinator(0).coordinate(readingItemAt: ground.url()) { _ in }
      }
      try await until { presenter.lines.all == ["added", "reader"] }
      try presenter.kill()
      // The limit of the coordinator is that of the test.
      try await task.value
      let table = try ground.domains[0].currentTable()
      #expect(table.presenters.isEmpty)
      #expect(table.processes.count == 1)
    }
  }
}
