import Foundation
import Testing
import TributaryTestSupport

/// Stores that end in the middle of something.
struct CrashTests {
  private static let schema: Schema = [
    Migration(name: "1", sql: "CREATE TABLE note (id INTEGER PRIMARY KEY, text TEXT)")
  ]

  private func count(_ store: Store) throws -> Int {
    try store.read { try $0.query(Int.self, "SELECT count(*) FROM note")[0] }
  }

  /// Has one device publish and import at once, and end before an operation of it.
  ///
  /// - Returns: whether it came to that.
  private func crash(
    beforeOperation operation: Int, _ containers: TestFleet.Containers
  ) async throws -> Bool {
    let fleet = try TestFleet(schema: Self.schema, containers: containers)
    let (a, b) = (try await fleet.open("a"), try await fleet.open("b"))
    try fleet.exchange()
    try a.write { try $0.execute("INSERT INTO note VALUES (1, 'a')") }
    try b.write { try $0.execute("INSERT INTO note VALUES (2, 'b')") }
    try b.synchronizeNow()
    try fleet.deliver()
    let peer = a.peer
    let hasEnded = try fleet.crash("a", beforeOperation: operation) { try $0.synchronizeNow() }
    if hasEnded { #expect(throws: StoreError.self) { try a.digest() } }
    let again = try await fleet.open("a")
    #expect(again.peer == peer)
    #expect(try again.query("SELECT text FROM note WHERE id = 1") == ["a"])
    try fleet.exchange()
    #expect(try again.digest() == b.digest() && count(b) == 2)
    #expect(try again.verify().differenceCount == 0)
    return hasEnded
  }

  @Test(arguments: [TestFleet.Containers.separate, .shared])
  func `nothing is lost wherever a publication or an import ends`(
    containers: TestFleet.Containers
  ) async throws {
    var operation = 1
    while try await crash(beforeOperation: operation, containers) { operation += 1 }
    #expect(operation > 10)
  }

  @Test func `what a store does after its end is gone`() async throws {
    let fleet = try TestFleet(schema: Self.schema)
    let a = try await fleet.open("a")
    try a.write { try $0.execute("INSERT INTO note VALUES (1, 'x')") }
    let hasEnded = try fleet.crash("a", beforeOperation: 1) { store in
      try store.write { try $0.execute("INSERT INTO note VALUES (2, 'x')") }
      #expect(try store.synchronizeNow().published.transactions == 0)
      try store.write { try $0.execute("INSERT INTO note VALUES (3, 'x')") }
    }
    #expect(hasEnded)
    #expect(throws: StoreError.self) { try a.digest() }
    let again = try await fleet.open("a")
    #expect(try count(again) == 2)
    #expect(try again.synchronizeNow().published.transactions == 2)
  }

  @Test func `a body that comes to its end, or throws, leaves the store open`() async throws {
    let fleet = try TestFleet(schema: Self.schema)
    let a = try await fleet.open("a")
    struct Refused: Error {}
    #expect(throws: Refused.self) {
      try fleet.crash("a", beforeOperation: 1000) { _ in throw Refused() }
    }
    #expect(try !fleet.crash("a", beforeOperation: 1000) { try $0.synchronizeNow() })
    #expect(try a.synchronizeNow().hindrance == nil)
  }

  @Test func `misuse is refused`() async throws {
    let fleet = try TestFleet(schema: Self.schema)
    let closed = #expect(throws: TestFleetError.self) {
      try fleet.crash("a", beforeOperation: 1) { _ in }
    }
    #expect(closed?.message.contains("a is not open") == true)
    _ = try await fleet.open("a")
    let none = #expect(throws: TestFleetError.self) {
      try fleet.crash("a", beforeOperation: 0) { _ in }
    }
    #expect(none.map { "\($0)" } == "there is no operation 0; count from 1")
  }
}

extension Store {
  fileprivate func query(_ sql: String) throws -> [String] {
    try read { try $0.query(String.self, sql) }
  }
}
