import Foundation
import Testing
import Tributary
import TributarySQLite
import TributaryTesting

/// Openings of documents and key-value stores that take long: their progress, and what is left when they are cancelled.
struct LongDocumentOpeningTests {
  private static let note = Migration(
    name: "1", sql: "CREATE TABLE note (id INTEGER PRIMARY KEY, text TEXT)")
  /// Never ends by itself.
  private static let endless = Migration(
    name: "2",
    sql: """
      INSERT INTO note (text)
      WITH RECURSIVE n (x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT count(*) FROM n
      """)

  private func options(
    _ device: String, _ directory: String, _ schema: Schema = [note],
    _ progress: (@Sendable (StoreOptions.Progress) throws -> Void)? = nil
  ) -> ManagedDocumentOptions {
    var options = ManagedDocumentOptions(schema: schema)
    options.places = DataPlaces(containers: directory + "/shared", data: "\(directory)/\(device)")
    options.progress = progress
    return options
  }

  /// Makes a container with one document, which one device has open no longer.
  private func withDocument(_ body: (_ path: String, _ directory: String) async throws -> Void)
    async throws
  {
    try await withTemporaryDirectory { directory in
      let container = try #require(
        try Container.lookup(
          "iCloud.com.example.Notes", places: options("a", directory).places))
      let path = container.documents + "/Trip.note"
      let document = try await ManagedDocument.create(at: path, options: options("a", directory))
      try document.write { db in
        for number in 1...100 { try db.execute("INSERT INTO note VALUES (?, 'x')", number) }
      }
      #expect(await document.close())
      try await body(path, directory)
    }
  }

  @Test func `a document whose migration is cancelled is not made, and can be made afterwards`()
    async throws
  {
    try await withDocument { path, directory in
      let before = try files(directory)
      let other = path.replacingOccurrences(of: "Trip", with: "Other")
      let steps = await cancelledAt("migrating", 1) { progress in
        _ = try await ManagedDocument.create(
          at: other, options: options("a", directory, [Self.note, Self.endless], progress))
      }
      #expect(steps.map(\.stage) == ["migrating", "migrating"])
      #expect(try files(directory) == before)
      let made = try await ManagedDocument.create(at: other, options: options("a", directory))
      #expect(await made.close())
    }
  }

  @Test func `a large database that becomes a document is copied in parts, which can be cancelled`()
    async throws
  {
    try await withDocument { path, directory in
      let source = directory + "/large.sqlite"
      let connection = try Connection(path: source, mode: .create)
      try connection.execute(
        """
        CREATE TABLE large (id INTEGER PRIMARY KEY, data BLOB);
        INSERT INTO large (data)
        WITH RECURSIVE n (x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n LIMIT 3000)
        SELECT zeroblob(4000) FROM n
        """)
      connection.close()
      let before = try files(directory)
      let other = path.replacingOccurrences(of: "Trip", with: "Other")
      let steps = await cancelledAt("copying", 2000) { progress in
        _ = try await ManagedDocument.create(
          at: other, contents: .database(source), options: options("a", directory, [], progress))
      }
      #expect(steps.map(\.stage) == ["copying", "copying"])
      #expect(steps.map(\.done) == [1000, 2000])
      #expect(steps.allSatisfy { $0.total ?? 0 > 2900 })
      #expect(try files(directory) == before)
      let made = try await ManagedDocument.create(
        at: other, contents: .database(source), options: options("a", directory, []))
      #expect(try made.read { try $0.query(Int.self, "SELECT count(*) FROM large") } == [3000])
      #expect(await made.close())
    }
  }

  @Test func `a document that is rebuilt from the logs leaves nothing when that is cancelled`()
    async throws
  {
    try await withDocument { path, directory in
      // A device that has used the place before.
      let other = path.replacingOccurrences(of: "Trip", with: "Other")
      let made = try await ManagedDocument.create(at: other, options: options("b", directory))
      #expect(await made.close())
      let before = try files(directory)
      let steps = await cancelledAt("importing", nil) { progress in
        _ = try await ManagedDocument.open(at: path, options: options("b", directory, [], progress))
      }
      #expect(steps.map(\.stage).contains("importing"))
      #expect(try files(directory) == before)
      let opened = try await ManagedDocument.open(at: path, options: options("b", directory))
      #expect(try opened.read { try $0.query(Int.self, "SELECT count(*) FROM note") } == [100])
      #expect(await opened.close())
    }
  }

  @Test func `what the progress throws ends the opening of a document, and comes out`() async throws
  {
    struct Enough: Error {}
    try await withDocument { path, directory in
      let before = try files(directory + "/shared")
      await #expect(throws: Enough.self) {
        _ = try await ManagedDocument.open(
          at: path, options: options("b", directory, []) { _ in throw Enough() })
      }
      #expect(try files(directory + "/shared") == before)
    }
  }

  @Test
  func `a key-value store that is rebuilt from the logs leaves nothing when that is cancelled`()
    async throws
  {
    try await withTemporaryDirectory { directory in
      try FileManager.default.createDirectory(
        atPath: directory + "/shared", withIntermediateDirectories: true)
      @Sendable func open(
        _ name: String, _ progress: (@Sendable (StoreOptions.Progress) throws -> Void)? = nil
      ) async throws -> KeyValueStore {
        var options = KeyValueStoreOptions(
          identifier: "com.example.app", container: try Container(at: directory + "/shared"))
        options.synchronizesAutomatically = false
        options.progress = progress
        return try await KeyValueStore.open(at: "\(directory)/\(name).sqlite", options: options)
      }
      let a = try await open("a")
      for number in 0..<10 { try a.set(number, forKey: "\(number)") }
      try a.synchronizeNow()
      try a.close()
      let before = try files(directory)
      let steps = await cancelledAt("importing", nil) { _ = try await open("b", $0) }
      #expect(steps.map(\.stage).contains("importing"))
      #expect(try files(directory) == before)
      let b = try await open("b")
      #expect(b.dictionaryRepresentation.count == 10)
      try b.close()
    }
  }
}
