import Foundation
import Testing
import TributaryTestSupport

/// Deliveries of single files.
struct SingleFileTests {
  private static let schema: Schema = [
    Migration(name: "1", sql: "CREATE TABLE note (id INTEGER PRIMARY KEY, text TEXT)")
  ]

  private func keys(_ store: Store) throws -> [Int] {
    try store.read { try $0.query(Int.self, "SELECT id FROM note ORDER BY id") }
  }

  /// A device that has published three segments, and one that has none of them.
  private func withDevices(
    _ body: (_ fleet: TestFleet, _ a: Store, _ b: Store, _ segments: [String]) throws -> Void
  ) async throws {
    let fleet = try TestFleet(schema: Self.schema)
    let (a, b) = (try await fleet.open("a"), try await fleet.open("b"))
    try fleet.exchange()
    for id in 1...3 {
      try a.write { try $0.execute("INSERT INTO note VALUES (?, 'x')", id) }
      try a.synchronizeNow()
    }
    let segments = try fleet.undelivered(from: "a", to: "b").filter { $0.contains("/log/") }
    try #require(segments.count == 3)
    try body(fleet, a, b, segments)
    try fleet.exchange()
    #expect(try a.digest() == b.digest() && keys(b) == [1, 2, 3])
    #expect(try fleet.undelivered(from: "a", to: "b") == [])
  }

  @Test func `files arrive one by one, in any order`() async throws {
    try await withDevices { fleet, a, b, segments in
      for (segment, expected) in zip([2, 0, 1], [[], [1], [1, 2, 3]]) {
        try fleet.deliver(segments[segment], from: "a", to: "b")
        try b.synchronizeNow()
        #expect(try keys(b) == expected)
      }
      #expect(try !fleet.undelivered(from: "a", to: "b").contains { $0.contains("/log/") })
    }
  }

  @Test(arguments: [0, 1, 20])
  func `a file that arrives in part is completed later`(byteCount: Int) async throws {
    try await withDevices { fleet, a, b, segments in
      try fleet.deliver(segments[0], from: "a", to: "b", firstBytes: byteCount)
      try fleet.deliver(segments[1], from: "a", to: "b")
      try b.synchronizeNow()
      #expect(try keys(b) == [])
      #expect(try fleet.undelivered(from: "a", to: "b").contains(segments[0]))
      try fleet.deliver(segments[0], from: "a", to: "b")
      try b.synchronizeNow()
      #expect(try keys(b) == [1, 2])
    }
  }

  @Test func `a relay completes what arrived in part`() async throws {
    try await withDevices { fleet, a, b, segments in
      try fleet.deliver(from: "a", to: "c")
      try fleet.deliver(segments[0], from: "a", to: "b", firstBytes: 5)
      try fleet.deliver(from: "c", to: "b")
      try b.synchronizeNow()
      #expect(try keys(b) == [1, 2, 3])
    }
  }

  @Test func `what cannot be delivered is refused by name`() async throws {
    try await withDevices { fleet, a, b, segments in
      let size =
        try FileManager.default.attributesOfItem(
          atPath: fleet.container(of: "a") + "/" + segments[0])[.size] as? Int
      let refused: [(String, Int?, String)] = [
        ("nothing", nil, "nothing"), (segments[0], -1, "-1"),
        (segments[0], size, segments[0]),
      ]
      for (file, byteCount, word) in refused {
        let error = #expect(throws: TestFleetError.self) {
          try fleet.deliver(file, from: "a", to: "b", firstBytes: byteCount)
        }
        #expect(error?.message.contains(word) == true && error?.remedy.isEmpty == false)
      }
      try fleet.deliver(segments[0], from: "a", to: "b")
      #expect(throws: TestFleetError.self) {
        try fleet.deliver(segments[0], from: "a", to: "b")
      }
    }
  }
}
