import Testing
import TributaryCommand
import TributaryCore
import TributarySQLite
import TributaryTesting

/// Values of the size of films. They take hundreds of megabytes of memory, and so run only in a soak.
struct LargeValueTests {
  @Test(
    .enabled(if: Soak.histories != nil || Soak.minutes != nil), arguments: ["hook", "triggers"])
  func `a blob of a hundred megabytes goes all the way, and so does a byte in its midst`(
    capture: String
  ) throws {
    try withStores { stores in
      for name in ["a", "b"] { expectDone("attach", stores, name, "--capture", capture) }
      stores.sql(
        "a", "INSERT INTO tracks VALUES (1, 'film', NULL, zeroblob(99999999) || randomblob(1))")
      stores.sql("a", "UPDATE tracks SET cover = CAST(cover AS BLOB)")
      try expectEqual(stores)
      let connection = try Connection(path: stores.path("b"), mode: .readWrite)
      try connection.writeInPlace(
        table: "tracks", column: "cover", row: 1, [1, 2, 3], at: 50_000_000)
      connection.close()
      try expectEqual(stores)
      #expect(
        stores.sql("a", "SELECT hex(substr(cover, 50000000, 5)) FROM tracks").contains("0001020300")
      )
      for name in ["a", "b"] { #expect(Invocation("verify", stores.path(name)).status == .done) }
    }
  }

  private func expectDone(
    _ command: String, _ stores: StoreFixture, _ name: String, _ more: String...
  ) {
    let run = Invocation(
      words: [command, stores.path(name), "--container", stores.container, "--name", "Library"]
        + more)
    #expect(run.status == .done, "\(run.errors)")
  }

  private func expectEqual(_ stores: StoreFixture) throws {
    for name in ["b", "a", "b"] {
      let run = Invocation("sync", stores.path(name))
      #expect(run.status == .done, "\(run.errors)")
    }
    #expect(
      Invocation("digest", stores.path("a")).output == Invocation("digest", stores.path("b")).output
    )
  }
}
