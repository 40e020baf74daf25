import Foundation
import Testing
import TributarySync
import TributaryTesting

struct MetricsTests {
  private static let script = "CREATE TABLE t (id INTEGER PRIMARY KEY)"

  @Test func `a session counts what it publishes and imports, and says how the store stands`()
    throws
  {
    try withTemporaryDirectory { directory in
      let devices = try SyncDevices(in: directory)
      let author = try devices.open("a", Self.script)
      let reader = try devices.open("b", Self.script)
      try exchange(author, reader)
      let before = (author.metrics(), reader.metrics())
      try author.execute("INSERT INTO t VALUES (1), (2)")
      try author.execute("INSERT INTO t VALUES (3)")
      try exchange(author, reader)
      let written = author.metrics()
      #expect(written.publishedTransactions == before.0.publishedTransactions + 2)
      #expect(written.publishedSegments == before.0.publishedSegments + 1)
      #expect(written.publishedBytes > before.0.publishedBytes)
      #expect(written.unpublished == 0 && written.failingSince == nil)
      let read = reader.metrics()
      #expect(read.imports == before.1.imports + 1)
      #expect(read.importedTransactions == before.1.importedTransactions + 2)
      #expect(read.importedRows == before.1.importedRows + 3)
      #expect(read.lag != nil && read.lastSuccess != nil && read.conflicts == 0)
    }
  }

  @Test func `while the container is away, they say since when, and what is unpublished`() throws {
    try withTemporaryDirectory { directory in
      let devices = try SyncDevices(in: directory)
      let clock = AdjustableClock(milliseconds: 1_000_000)
      try devices.attach("a", Self.script)
      let session = try SyncSession(
        store: devices.path("a"), environment: StoreEnvironment(clock: clock))
      _ = try session.synchronize()
      try session.store.write { try $0.execute("INSERT INTO t VALUES (1)") }
      try FileManager.default.moveItem(
        atPath: devices.container, toPath: devices.container + "-away")
      _ = try session.synchronize()
      let first = session.metrics()
      #expect(first.unpublished == 1 && first.errors == 1)
      clock.advance(by: 5000)
      _ = try session.synchronize()
      let second = session.metrics()
      #expect(second.errors == 2 && second.failingSince == first.failingSince)
      try FileManager.default.moveItem(
        atPath: devices.container + "-away", toPath: devices.container)
      _ = try session.synchronize()
      let last = session.metrics()
      #expect(last.unpublished == 0 && last.failingSince == nil && last.errors == 2)
    }
  }

  @Test func `the text form is that of Prometheus`() {
    var metrics = StoreMetrics()
    metrics.publishedTransactions = 7
    metrics.lag = 1234
    metrics.failingSince = 10_000
    var text = MetricsText()
    text.add([("/a \"b\"\\c\n.db", metrics), ("/d.db", StoreMetrics())], now: 12_500)
    text.addGauge("stores", "Stores.", 2)
    let lines = text.text.split(separator: "\n", omittingEmptySubsequences: false)
    #expect(lines.last == "", "it ends with a line feed")
    #expect(
      lines.prefix(4) == [
        "# HELP tributary_published_transactions_total Own transactions published.",
        "# TYPE tributary_published_transactions_total counter",
        #"tributary_published_transactions_total{store="/a \"b\"\\c\n.db"} 7"#,
        #"tributary_published_transactions_total{store="/d.db"} 0"#,
      ])
    #expect(text.text.contains(#"tributary_import_lag_seconds{store="/a \"b\"\\c\n.db"} 1.234"#))
    #expect(!text.text.contains(#"tributary_import_lag_seconds{store="/d.db"}"#))
    #expect(text.text.contains(#"tributary_failing_seconds{store="/a \"b\"\\c\n.db"} 2.500"#))
    #expect(text.text.hasSuffix("# TYPE tributary_stores gauge\ntributary_stores 2\n"))
    let names = lines.filter { $0.hasPrefix("# TYPE ") }
    #expect(Set(names).count == names.count, "each is there once")
  }
}
