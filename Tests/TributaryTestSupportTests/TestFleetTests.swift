import Foundation
import Testing
import TributaryTestSupport

/// The fleet with which applications test.
struct TestFleetTests {
  private static let schema: Schema = [
    Migration(name: "1", sql: "CREATE TABLE note (id INTEGER PRIMARY KEY, text TEXT)")
  ]

  private func text(_ store: Store) throws -> [String] {
    try store.read { try $0.query(String.self, "SELECT text FROM note ORDER BY id") }
  }

  @Test func `what one device writes reaches another when it is delivered`() async throws {
    let fleet = try TestFleet(schema: Self.schema)
    let (phone, laptop) = (try await fleet.open("phone"), try await fleet.open("laptop"))
    try phone.write { try $0.execute("INSERT INTO note VALUES (1, 'x')") }
    try phone.synchronizeNow()
    try laptop.synchronizeNow()
    #expect(try text(laptop) == [])
    try fleet.deliver(from: "phone", to: "laptop")
    try laptop.synchronizeNow()
    #expect(try text(laptop) == ["x"])
    let tablet = try await fleet.open("tablet")
    try fleet.exchange()
    #expect(try tablet.digest() == phone.digest())
  }

  @Test func `clocks decide which of two writes is the later one`() async throws {
    let fleet = try TestFleet(schema: Self.schema)
    let (a, b) = (try await fleet.open("a"), try await fleet.open("b"))
    try a.write { try $0.execute("INSERT INTO note VALUES (1, 'first')") }
    try fleet.exchange()
    try fleet.clock(of: "b").advance(by: .seconds(-60))
    try fleet.clock(of: "a").advance(by: .seconds(60))
    try a.write { try $0.execute("UPDATE note SET text = 'a'") }
    try b.write { try $0.execute("UPDATE note SET text = 'b'") }
    try fleet.exchange()
    #expect(try text(a) == ["a"] && text(b) == ["a"])
    #expect(try a.conflicts() == b.conflicts() && a.conflicts().count == 1)
  }

  @Test func `a device that was killed, or has lost its database, comes back`() async throws {
    let fleet = try TestFleet(schema: Self.schema)
    let a = try await fleet.open("a")
    let b = try await fleet.open("b")
    let peer = a.peer
    try a.write { try $0.execute("INSERT INTO note VALUES (1, 'x')") }
    try fleet.exchange()
    try a.write { try $0.execute("INSERT INTO note VALUES (2, 'y')") }
    try fleet.kill("a")
    #expect(throws: StoreError.self) { try a.digest() }
    let again = try await fleet.open("a")
    #expect(try again.peer == peer && text(again) == ["x", "y"])
    try fleet.exchange()
    #expect(try text(b) == ["x", "y"])
    try fleet.lose("a")
    let rebuilt = try await fleet.open("a")
    try fleet.exchange()
    #expect(try rebuilt.digest() == b.digest())
  }

  @Test func `devices can share a container, where nothing is delivered`() async throws {
    let fleet = try TestFleet(schema: Self.schema, containers: .shared)
    let (a, b) = (try await fleet.open("a"), try await fleet.open("b"))
    try a.write { try $0.execute("INSERT INTO note VALUES (1, 'x')") }
    try a.synchronizeNow()
    try b.synchronizeNow()
    #expect(try text(b) == ["x"])
    #expect(try fleet.container(of: "a") == fleet.container(of: "b"))
    #expect(try fleet.undelivered(from: "a", to: "b") == [])
    try fleet.lose("a")
    let again = try await fleet.open("a")
    try fleet.exchange()
    #expect(try text(again) == ["x"])
  }

  @Test func `a device that nobody has named is an error, and so is a name that no file has`()
    async throws
  {
    let fleet = try TestFleet(schema: Self.schema)
    let phone = try await fleet.open("phone")
    let calls: [() throws -> Void] = [
      { try fleet.kill("fone") }, { try fleet.close("fone") }, { try fleet.lose("fone") },
      { try fleet.deliver(from: "fone", to: "phone") },
      { _ = try fleet.undelivered(from: "fone", to: "phone") },
      { try fleet.deliver("file", from: "fone", to: "phone") },
    ]
    for call in calls {
      let error = #expect(throws: TestFleetError.self) { try call() }
      #expect(
        error?.description
          == "the fleet has no device fone, only phone; open it first, or correct its name")
      #expect(error?.code == .misuse && error?.localizedDescription == error?.description)
    }
    for name in ["", "../phone", "a/b", "a\0b"] {
      await #expect(throws: TestFleetError.self) { try await fleet.open(name) }
    }
    // A device is there as soon as a test prepares it.
    try fleet.clock(of: "laptop").advance(by: .seconds(60))
    try phone.write { try $0.execute("INSERT INTO note VALUES (1, 'x')") }
    try phone.synchronizeNow()
    try fleet.deliver(from: "phone", to: "laptop")
    #expect(try text(try await fleet.open("laptop")) == ["x"])
  }

  @Test func `nothing remains of a fleet`() async throws {
    var fleet = try Optional(TestFleet(schema: Self.schema))
    let directory = try #require(fleet?.directory)
    _ = try await fleet?.open("a")
    #expect(FileManager.default.fileExists(atPath: directory))
    fleet = nil
    #expect(!FileManager.default.fileExists(atPath: directory))
  }
}
