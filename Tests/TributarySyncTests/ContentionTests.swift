import Testing
import TributarySQLite
import TributarySimulation
import TributarySync
import TributaryTesting

/// What tests take for the fault of others who write, by what the product says of it.
struct ContentionTests {
  private static let busy = SQLiteError(code: 5, message: "database is locked", path: "/nowhere")

  @Test func `who waited in vain for others tries again, and nobody else does`() throws {
    var failures: [any Error] = [Self.busy, try #require(SyncError(locked: Self.busy))]
    try Contention.outwait { if let failure = failures.popLast() { throw failure } }
    #expect(failures.isEmpty)
    struct Other: Error {}
    var count = 0
    #expect(throws: Other.self) {
      try Contention.outwait {
        count += 1
        throw Other()
      }
    }
    #expect(count == 1)
  }

  @Test func `what is said of it is recognised, line by line`() throws {
    let said = try #require(SyncError(locked: Self.busy))
    #expect(Contention.isAll(of: "\(said)\n\(Self.busy)\n"))
    #expect(!Contention.isAll(of: "\(said)\ndisk full\n"))
    #expect(Contention.isAll(of: ""))
  }
}
