import Foundation
import Glibc
import Testing
import TributaryCommand
import TributarySQLite
import TributaryTesting

/// What a service says of failures that come again and again.
struct RepeatedFailureTests {
  @Test func `a failure is said once, and again when it has come 16, 32, 64 times`() {
    var failures = RepeatedFailures()
    #expect((1...100).compactMap { _ in failures.note("away") } == [1, 16, 32, 64])
    #expect(failures.total == 100)
  }

  @Test func `failures that take turns are said once each`() {
    var failures = RepeatedFailures()
    #expect((1...15).compactMap { _ in failures.note("away") } == [1])
    #expect((1...15).compactMap { _ in failures.note("full") } == [1])
    #expect(failures.note("away") == 16)
  }

  @Test func `a failing command on import is said once, and that it works again`() throws {
    try withStores { stores in
      let service = try ServiceProcess(
        stores,
        """
        {"stores": [{"path": "b.db", "onImport":
          "cd '\(stores.directory)' && echo x >> told; [ $(grep -c x told) -gt 3 ]"}]}
        """)
      try service.next("opened")
      stores.sql("a", "INSERT INTO tracks (id, title) VALUES (1, 'x')")
      #expect(Invocation("sync", stores.path("a")).status == .done)
      let failure = try service.next("on-import-failed")
      #expect(failure["failures"] == nil)
      let recovery = try service.next("on-import-recovered")
      #expect(recovery["failures"] == "3" && recovery["store"] == stores.path("b"))
      service.process.send(SIGTERM)
      let end = try service.process.finish()
      #expect(!end.errors.contains("on-import-failed") && end.status == 0, "\(end.errors)")
      #expect(!service.hasEarly("on-import-failed"))
    }
  }

  @Test func `a store that opens and fails each time is said to open and to fail once`() throws {
    try withStores { stores in
      let connection = try Connection(path: stores.path("b"), mode: .readWrite)
      try connection.execute("ALTER TABLE tributary_knowledge RENAME TO lost")
      connection.close()
      let metrics = stores.directory + "/metrics.prom"
      let service = try ServiceProcess(
        stores,
        """
        {"stores": ["b.db"], "metrics": "\(metrics)", "metricsInterval": 0.05}
        """)
      try service.next("failed")
      try eventually {
        // The service may not have written the file yet.
        let text = (try? String(contentsOfFile: metrics, encoding: .utf8)) ?? ""
        let line = text.split(separator: "\n").first {
          $0.hasPrefix("tributary_errors_total{")
        }
        return line?.split(separator: " ").last.flatMap { Int($0) }.map { $0 >= 3 } ?? false
      }
      service.process.send(SIGTERM)
      let end = try service.process.finish()
      #expect(!end.errors.contains(#""event":"failed""#), "\(end.errors)")
      #expect(end.errors.components(separatedBy: #""event":"opened""#).count <= 2, "\(end.errors)")
    }
  }
}
