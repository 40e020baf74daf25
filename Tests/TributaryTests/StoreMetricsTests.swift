import Testing
import Tributary

/// What a store says of itself without being looked at.
struct StoreMetricsTests {
  @Test func `a store counts what it publishes and imports, and the text form names it`()
    async throws
  {
    try await withTwoDevices("CREATE TABLE t (id INTEGER PRIMARY KEY)") { a, b in
      let before = (a.metrics(), b.metrics())
      try a.execute("INSERT INTO t VALUES (1), (2)")
      try settle(a, b)
      #expect(a.metrics().publishedTransactions == before.0.publishedTransactions + 1)
      #expect(b.metrics().importedRows == before.1.importedRows + 2)
      #expect(b.metrics().failingSince == nil && b.metrics().unpublished == 0)
      var text = MetricsText()
      text.add([(b.path, b.metrics())], now: 0)
      #expect(text.text.contains("tributary_imported_rows_total{store="))
    }
  }
}
