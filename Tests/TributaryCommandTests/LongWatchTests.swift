import Foundation
import Testing
import TributaryStore
import TributarySync
import TributaryTesting

/// A watch that goes on for long, while others write, and the container vanishes and returns.
struct LongWatchTests {
  @Test func `memory and open files of a long watch stay as they are`() throws {
    try withStores { stores in
      let daemon = try CommandProcess(
        ["sync", stores.path("a"), "--watch", "--json", "--interval", "0.02"],
        discardingOutput: true)
      let own = try LocalStore(path: stores.path("a"), milliseconds: { 1 })
      let other = try SyncSession(store: stores.path("b"))
      // It has the tables as soon as it knows those of the other.
      #expect(try other.synchronize().failure == nil)
      var cycle: Int64 = 0
      func live(cycles: Int64) throws {
        for _ in 0..<cycles {
          cycle += 1
          try self.live(cycle, stores, own, other)
        }
      }
      try live(cycles: 150)
      let first = try daemon.usage()
      let end = Soak.minutes.map { ContinuousClock.now + .seconds($0 * 60) }
      repeat { try live(cycles: 150) } while end.map { ContinuousClock.now < $0 } ?? false
      // A thread may be on its way out.
      var last = try daemon.usage()
      try eventually {
        last = try daemon.usage()
        return last.files <= first.files + 2 && last.threads <= first.threads
      }
      daemon.send(SIGTERM)
      #expect(try daemon.finish().status == 0)
      let text = "after 150 cycles \(first), after \(cycle) cycles \(last)"
      if Soak.minutes != nil { FileHandle.standardError.write(Data("long watch: \(text)\n".utf8)) }
      // Names of segments are remembered, up to a limit, and SQLite fills its caches.
      #expect(last.kilobytes < first.kilobytes + 12_000, "\(text)")
    }
  }

  private func live(
    _ cycle: Int64, _ stores: StoreFixture, _ own: LocalStore, _ other: SyncSession
  ) throws {
    try own.write {
      try $0.execute("INSERT OR REPLACE INTO pairs VALUES ('a', ?1 % 100, ?1)", cycle)
    }
    try other.store.write {
      try $0.execute("INSERT OR REPLACE INTO pairs VALUES ('b', ?1 % 100, ?1)", cycle)
    }
    let isAway = cycle % 10 == 0
    if isAway {
      try FileManager.default.moveItem(atPath: stores.container, toPath: stores.container + "-away")
      // Until the daemon has noticed.
      try eventually {
        try own.number("SELECT count(*) AS n FROM tributary_store WHERE key = 'missing_since'") == 1
      }
      try FileManager.default.moveItem(atPath: stores.container + "-away", toPath: stores.container)
    }
    let report = try other.synchronize()
    try #require(report.failure == nil, "\(report)")
    // Until the daemon has what was written on the other device.
    try eventually {
      try own.number("SELECT ifnull(max(sequence), 0) AS n FROM tributary_peer") == cycle
    }
  }
}

extension LocalStore {
  /// The column `n` of the one row of a query.
  fileprivate func number(_ sql: String) throws -> Int64? {
    try read { try $0.query(sql)[0].integer("n") }
  }
}

extension CommandProcess {
  struct Usage {
    var files: Int
    var threads: Int
    var kilobytes: Int
  }

  /// What it uses of the system now.
  func usage() throws -> Usage {
    let status = try String(contentsOfFile: "/proc/\(identifier)/status", encoding: .utf8)
    func number(_ name: String) throws -> Int {
      let line = status.split(separator: "\n").first { $0.hasPrefix(name + ":") }
      return try #require(
        line?.split(whereSeparator: \.isWhitespace).dropFirst().first.flatMap { Int($0) })
    }
    return Usage(
      files: try FileManager.default.contentsOfDirectory(atPath: "/proc/\(identifier)/fd").count,
      threads: try number("Threads"), kilobytes: try number("VmRSS"))
  }
}
