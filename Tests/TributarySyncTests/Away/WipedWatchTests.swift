import Foundation
import Testing
import TributaryCore
import TributaryFiles
import TributarySimulation
import TributarySync
import TributaryTesting

/// A container that is wiped while a watch runs, and seeded anew by other processes.
struct WipedWatchTests {
  private static let script = "CREATE TABLE t (id TEXT PRIMARY KEY)"

  @Test func `after a wipe and --reseed beside running watches, all have everything`() throws {
    try withSeeds(0..<8) { random in
      try withTemporaryDirectory { directory in
        let devices = try SyncDevices(in: directory)
        let stop = StopSignal()
        var sessions: [SyncSession] = []
        var watches: [WorkerThread] = []
        defer {
          stop.stop()
          for watch in watches { watch.join() }
        }
        for name in ["a", "b"] {
          let session = try devices.open(name, Self.script)
          sessions.append(session)
          watches.append(
            try WorkerThread(name: "watch") {
              do {
                try session.watch(intervalMilliseconds: 20, stop: stop) { _ in }
              } catch {
                Issue.record(error)
              }
            })
        }
        var count = 0
        func write(_ times: Int) throws {
          for _ in 0..<times {
            count += 1
            let session = sessions[random.number(0...1)]
            try Contention.outwait {
              try session.execute("INSERT INTO t VALUES ('\(session.store.peer) \(count)')")
            }
          }
        }
        try write(6)
        try eventually { try sessions.allSatisfy { try $0.unpublished() == 0 } }
        // A carrier removes one file after the other, and then the directories.
        let root = devices.container + "/tributary"
        let files = FileManager.default.enumerator(atPath: root)?.compactMap { $0 as? String } ?? []
        for file in files.shuffled(using: &random) where file.hasSuffix(".lz4") {
          // The watch may have removed or replaced it.
          try? FileManager.default.removeItem(atPath: "\(root)/\(file)")
          if random.once(in: 3) { try write(1) }
        }
        // What a watch publishes meanwhile may make a directory not empty once more.
        try eventually {
          try? FileManager.default.removeItem(atPath: root)
          return !FileManager.default.fileExists(atPath: root)
        }
        try write(random.number(1...3))
        for name in ["a", "b"] {
          try Contention.outwait {
            let report = try SyncSession(store: devices.path(name)).synchronize(reseed: true)
            if let failure = report.failure { throw failure }
          }
          try write(1)
        }
        try eventually {
          try sessions.allSatisfy { try $0.rows("SELECT count(*) FROM t") == ["\(count)"] }
        }
        try eventually { try sessions.allSatisfy { try $0.unpublished() == 0 } }
        let fresh = try devices.open("fresh")
        try eventually {
          _ = try fresh.synchronize()
          return try fresh.rows("SELECT count(*) FROM t") == ["\(count)"]
        }
      }
    }
  }

  @Test func `what no known segment holds is published with the next look`() throws {
    try withTemporaryDirectory { directory in
      let devices = try SyncDevices(in: directory)
      let a = try devices.open("a", Self.script)
      for id in 1...4 {
        try a.execute("INSERT INTO t VALUES ('\(id)')")
        try a.exchange()
      }
      try a.store.service { try $0.execute("DELETE FROM tributary_segment WHERE first IN (1, 3)") }
      try FileManager.default.removeItem(
        atPath: "\(devices.container)/tributary/C/peers/\(a.store.peer)/log")
      #expect(try a.synchronize().published.transactions == 4)
      #expect(
        try a.store.service {
          try $0.integer("SELECT sum(last - first + 1) FROM tributary_segment")
        }
          == 4)
      let b = try devices.open("b")
      #expect(try b.rows("SELECT count(*) FROM t") == ["4"])
      #expect(try a.synchronize().isEmpty)
    }
  }

  @Test func `a session that published before a wipe believes nothing after it`() throws {
    try withTemporaryDirectory { directory in
      let devices = try SyncDevices(in: directory)
      let a = try devices.open("a", Self.script)
      try a.execute("INSERT INTO t VALUES ('1')")
      try a.exchange()
      try FileManager.default.removeItem(atPath: devices.container + "/tributary")
      #expect(try a.synchronize().failure != nil)
      try FileManager.default.createDirectory(
        atPath: "\(devices.container)/tributary/C/peers/\(a.store.peer)/log",
        withIntermediateDirectories: true)
      try a.execute("INSERT INTO t VALUES ('2')")
      // As a watch does that has seen a commit, and nothing of the container.
      #expect(try a.publish().published.transactions == 2)
    }
  }
}

extension SyncSession {
  fileprivate func unpublished() throws -> Int { try status().unpublished }
}
