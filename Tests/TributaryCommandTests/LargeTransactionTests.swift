import Testing
import TributaryCommand
import TributaryTesting

/// Small transactions of a store that has a large one.
struct LargeTransactionTests {
  @Test func `what a large transaction left behind does not slow down the small ones`() throws {
    try withStores { stores in
      let without = try publishing(in: "a", stores)
      stores.sql(
        "a",
        """
        WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 200)
        INSERT INTO pairs SELECT i, 0, randomblob(100000) FROM n
        """)
      #expect(Invocation("sync", stores.path("a")).status == .done)
      let with = try publishing(in: "a", stores)
      // Reading its pieces for each of them took a hundred times as long.
      #expect(with < without * 10 + .seconds(1), "\(with) after a large one, \(without) before")
      #expect(Invocation("sync", stores.path("b")).status == .done)
      #expect(
        Invocation("digest", stores.path("a")).output
          == Invocation("digest", stores.path("b")).output)
    }
  }

  /// The processor time that it takes to publish 2,000 transactions.
  private func publishing(in name: String, _ stores: StoreFixture) throws -> Duration {
    let commit = "BEGIN; INSERT INTO tracks (length) VALUES (1.5); COMMIT;\n"
    try stores.write(String(repeating: commit, count: 2000), to: "commits.sql")
    let written = Invocation(
      "sql", stores.path(name), "--file", stores.directory + "/commits.sql")
    #expect(written.status == .done, "\(written.errors)")
    return processorTime {
      let run = Invocation("sync", stores.path(name))
      #expect(run.status == .done && run.output.contains("published 2000 transactions"))
    }
  }
}
