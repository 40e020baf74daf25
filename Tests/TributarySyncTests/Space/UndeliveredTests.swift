import Foundation
import Testing
import TributaryContainer
import TributaryCore
import TributaryFiles
import TributaryStore
import TributarySync
import TributaryTesting

/// What is said, and what becomes, of transactions that others have and no file brings.
struct UndeliveredTests {
  /// The segment files of a device, in order.
  private func segments(_ fleet: HorizonFleet, _ name: String) throws -> [String] {
    let log = try fleet.directory.log(of: fleet.peer(name))
    return try FileManager.default.contentsOfDirectory(atPath: log).sorted().map { "\(log)/\($0)" }
  }

  /// Two devices, of which the first has written two transactions, and the second has them; the file of the second
  /// transaction is lost, and so is the first device.
  private func withLoss(_ body: (HorizonFleet) throws -> Void) throws {
    try withTemporaryDirectory { directory in
      let fleet = try HorizonFleet(in: directory, "a", "b", "d")
      try fleet.meet()
      for id in 1...2 {
        try fleet.write("INSERT INTO t VALUES (\(id), 'a')", on: "a")
        try fleet.meet("a", "b")
      }
      try FileManager.default.removeItem(atPath: try #require(segments(fleet, "a").last))
      fleet.drop("a")
      try body(fleet)
    }
  }

  @Test func `a synchronisation says what the end of a log lacks, who has it, and what comes next`()
    throws
  {
    try withLoss { fleet in
      let first = try fleet["d"].synchronize()
      #expect(first.waiting == [])
      #expect(first.delays.map(\.needsHelp) == [false])
      let text = try #require(first.delays.first).description
      #expect(text.contains("transaction 2 of peer"))
      #expect(text.contains("(\"b\") has imported it"))
      #expect(text.contains("tributary sync --reseed"))
      // The next one has found nothing new either, and says the same.
      #expect(try fleet["d"].synchronize().delays.map(\.description) == [text])
      #expect(try fleet["d"].status().delays.map(\.description) == [text])
      fleet.pass(days: 1)
      #expect(try fleet["d"].synchronize().delays.map(\.needsHelp) == [true])
    }
  }

  @Test func `among many peers, a directory that is gone is noticed by the next synchronisation`()
    throws
  {
    try withTemporaryDirectory { directory in
      let fleet = try HorizonFleet(in: directory, "a", "b", "d")
      try fleet.meet()
      // With that many peers, a store reads the whole receipts about once a day.
      for number in 0..<70 {
        let manifest = PeerManifest(
          peer: PeerIdentity(high: 1, low: UInt64(number)), name: "quiet",
          content: try ContentName("C"), sequence: .zero, receipt: Knowledge(),
          schema: ManifestSchema(id: "", tables: [], sql: [], migrations: []))
        try FileManager.default.createDirectory(
          atPath: fleet.directory.log(of: manifest.peer), withIntermediateDirectories: true)
        try manifest.publish(in: fleet.directory, using: LocalFileSystem())
      }
      try fleet.write("INSERT INTO t VALUES (1, 'a')", on: "a")
      try fleet.meet()
      try fleet.write("INSERT INTO t VALUES (2, 'a')", on: "a")
      try fleet.meet("a", "b")
      let lost = fleet.peer("a")
      try FileManager.default.removeItem(atPath: fleet.directory.peer(lost))
      fleet.drop("a")
      for _ in 0..<2 {
        let delays = try fleet["d"].synchronize().delays
        #expect(delays.count == 1)
        #expect(delays.first?.explanation.hasPrefix("transaction 2 of peer \(lost)") == true)
      }
    }
  }

  @Test func `who has it brings it by a baseline`() throws {
    try withLoss { fleet in
      _ = try fleet["d"].synchronize()
      _ = try fleet["b"].synchronize()
      // On the first day, it asks the lost device, too.
      for _ in 0..<2 {
        fleet.pass(days: 1)
        for _ in 0..<4 {
          for name in ["b", "d"] {
            fleet.clock.advance(by: 1)
            _ = try fleet[name].synchronize()
          }
        }
      }
      #expect(try fleet.rows("d") == ["1|a", "2|a"])
      #expect(try fleet["d"].synchronize().delays.isEmpty)
    }
  }

  @Test func `a new device says that it has got a part`() throws {
    try withLoss { fleet in
      let report = try fleet.attach("e")
      #expect(report.waiting == [])
      #expect(report.undelivered.count == 1)
      #expect(report.undelivered.first?.contains("transaction 2 of peer") == true)
    }
  }

  @Test func `what waits for what nobody has is issued again when its author is retired`() throws {
    try withLoss { fleet in
      // Its author knew both.
      try fleet.write("INSERT INTO t VALUES (10, 'b')", on: "b")
      try fleet["b"].exchange()
      let (a, b) = (
        try #require(try fleet["b"].peers().first { $0.name == "a" }).peer, fleet.peer("b")
      )
      fleet.drop("b")
      let waits = try fleet["d"].synchronize()
      #expect(waits.waiting.map(\.peer) == [b])
      #expect(waits.delays.count == 1)
      #expect(try fleet.rows("d") == ["1|a"])
      _ = try fleet["d"].retire("\(a)")
      _ = try fleet["d"].retire("\(b)")
      _ = try fleet["d"].writeBaseline()
      let report = try fleet["d"].synchronize()
      #expect(report.failure == nil)
      #expect(try fleet["d"].rows("SELECT v FROM t ORDER BY v") == ["a", "b"])
      let after = try fleet["d"].synchronize()
      #expect(after.waiting == [] && after.delays.isEmpty)
    }
  }
}
