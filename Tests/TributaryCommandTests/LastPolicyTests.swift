import Foundation
import Testing
import TributaryCommand
import TributaryTesting

struct LastPolicyTests {
  /// Two devices that both have row 1 of a table with columns of and without the policy.
  private func withDevices(_ body: (StoreFixture) throws -> Void) throws {
    try withTemporaryDirectory { directory in
      let stores = StoreFixture(directory: directory)
      try FileManager.default.createDirectory(
        atPath: stores.container, withIntermediateDirectories: true)
      try stores.write("CREATE TABLE t (id TEXT PRIMARY KEY, last, other)", to: "schema.sql")
      let made = stores.attach(
        "a", "--schema", directory + "/schema.sql", "--policy", "t.last=last")
      #expect(made.status == .done, "\(made.errors)")
      stores.sql("a", "INSERT INTO t VALUES ('x', 0, 0)")
      #expect(Invocation("sync", stores.path("a")).status == .done)
      #expect(stores.attach("b").status == .done)
      try body(stores)
    }
  }

  private func meet(_ stores: StoreFixture) {
    for name in ["a", "b", "a"] { #expect(Invocation("sync", stores.path(name)).status == .done) }
  }

  @Test func `what loses in a column of which the last write counts is no conflict`() throws {
    try withDevices { stores in
      stores.sql("a", "UPDATE t SET last = 1, other = 1")
      awaitClockTick()
      stores.sql("b", "UPDATE t SET last = 2, other = 2")
      meet(stores)
      for name in ["a", "b"] {
        #expect(stores.sql(name, "SELECT last, other FROM t", "--csv").contains("2,2"))
        let conflicts = Invocation("conflicts", "list", stores.path(name), "--json")
        #expect(conflicts.lines.count == 1)
        #expect(conflicts.output.contains(#""values":{"other":1}"#))
        #expect(Invocation("verify", stores.path(name)).status == .done)
        #expect(Invocation("doctor", stores.path(name)).status == .done)
      }
    }
  }

  @Test func `a lost update of such a column alone is none, whether or not the row lives`() throws {
    try withDevices { stores in
      stores.sql("a", "UPDATE t SET last = 1")
      awaitClockTick()
      stores.sql("b", "DELETE FROM t")
      meet(stores)
      for name in ["a", "b"] {
        #expect(stores.sql(name, "SELECT count(*) FROM t", "--csv").contains("0"))
        #expect(Invocation("conflicts", "list", stores.path(name), "--json").output.isEmpty)
        #expect(Invocation("verify", stores.path(name)).status == .done)
      }
    }
  }
}
