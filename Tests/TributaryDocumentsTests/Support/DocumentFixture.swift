import Foundation
import Testing
import TributaryDocuments
import TributaryStore
import TributarySync
import TributaryTesting

/// A container that devices share, each with a directory of its own.
struct DocumentFixture {
  let directory: String

  static let identifier = try! ContainerIdentifier("iCloud.com.example.Notes")

  static let schema = [
    Migration(name: "1", sql: "CREATE TABLE note (id TEXT PRIMARY KEY, text TEXT)")
  ]

  /// The `Documents` directory of the container.
  var documents: String { container + "/Documents" }
  var container: String { directory + "/shared/" + Self.identifier.directoryName }

  /// A device.
  func device(_ name: String) throws -> Documents {
    let places = DataPlaces(containers: directory + "/shared", data: "\(directory)/\(name)")
    let containers = Containers(places: places)
    _ = try containers.path(for: Self.identifier)
    return try Documents(containers: containers)
  }

  func options() -> DocumentOptions { DocumentOptions(migrations: Self.schema) }

  func path(_ name: String) -> String { "\(documents)/\(name)" }

  func exists(_ path: String) -> Bool { FileManager.default.fileExists(atPath: path) }
}

/// Lends a container that devices `a` and `b` share.
func withDocuments(_ body: (DocumentFixture) throws -> Void) throws {
  try withTemporaryDirectory { try body(DocumentFixture(directory: $0)) }
}

extension OpenDocument {
  /// Writes a note.
  func write(_ id: String, _ text: String) throws {
    let session = try SyncSession(store: store)
    defer { session.store.close() }
    try session.store.write {
      try $0.execute("INSERT OR REPLACE INTO note VALUES (?, ?)", id, text)
    }
  }

  /// Publishes and imports.
  func synchronize() throws {
    let session = try SyncSession(store: store)
    defer { session.store.close() }
    let report = try session.synchronize()
    if let failure = report.failure { throw failure }
  }

  /// Returns the notes, in order.
  func notes() throws -> [String] {
    let session = try SyncSession(store: store)
    defer { session.store.close() }
    return try session.store.read { database in
      try database.query("SELECT id || '=' || text AS note FROM note ORDER BY id")
        .compactMap { $0.string("note") }
    }
  }
}
