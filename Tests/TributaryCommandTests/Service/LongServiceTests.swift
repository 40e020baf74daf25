import Foundation
import Glibc
import Testing
import TributarySimulation
import TributaryStore
import TributaryTesting

/// A service that goes on for long, while its stores are written.
struct LongServiceTests {
  private static let names = (0..<8).map { "s\($0)" }

  @Test func `memory, threads and files of a long service stay as they are`() throws {
    try withStores { stores in
      for name in Self.names { #expect(stores.attach(name).status == .done) }
      try stores.write(#"{"stores": ["s*.db"], "onImport": "cat > /dev/null"}"#, to: "serve.json")
      let service = try CommandProcess(
        ["serve", "--config", stores.directory + "/serve.json"], discardingOutput: true)
      let locals = try Self.names.map {
        try LocalStore(path: stores.path($0), milliseconds: { UInt64(time(nil)) * 1000 })
      }
      // It has the tables as soon as it knows those of the others.
      stores.sql("a", "INSERT INTO tracks VALUES (1, 'one', 1.0, NULL)")
      #expect(Invocation("sync", stores.path("a")).status == .done)
      var cycle: Int64 = 0
      func live(cycles: Int64) throws {
        for _ in 0..<cycles {
          cycle += 1
          try Contention.outwait {
            try locals[Int(cycle) % locals.count].write {
              try $0.execute("INSERT OR REPLACE INTO pairs VALUES ('a', ?1 % 100, ?1)", cycle)
            }
          }
        }
        // Until all have it.
        try eventually {
          try locals.allSatisfy { local in
            try local.read { try $0.query("SELECT max(v) AS n FROM pairs")[0].integer("n") }
              == cycle
          }
        }
      }
      try eventually {
        try locals.allSatisfy { local in
          try local.read {
            try $0.query("SELECT count(*) AS n FROM sqlite_schema WHERE name = 'pairs'")
          }[0]
          .integer("n") == 1
        }
      }
      try live(cycles: 40)
      var first = try service.usage()
      // In a soak, the caches are full after a third of the time: SQLite's, names of segments, and what is known of them.
      let start = ContinuousClock.now
      func live(minutes: Double) throws {
        let end = start + .seconds(minutes * 60)
        repeat { try live(cycles: 40) } while ContinuousClock.now < end
      }
      if let minutes = Soak.minutes {
        try live(minutes: minutes / 3)
        first = try service.usage()
      }
      try live(minutes: Soak.minutes ?? 0)
      var last = try service.usage()
      // Stores are closed when nothing happens, and threads end some time later.
      try eventually {
        last = try service.usage()
        return last.files < 20 && last.threads <= 16
      }
      service.send(SIGTERM)
      #expect(try service.finish().status == 0)
      let text = "\(first), after \(cycle) cycles \(last)"
      if Soak.minutes != nil { FileHandle.standardError.write(Data("service: \(text)\n".utf8)) }
      // Without a soak, the caches are not full.
      #expect(
        last.kilobytes < first.kilobytes + (Soak.minutes == nil ? 24_000 : 12_000), "\(text)")
    }
  }
}
