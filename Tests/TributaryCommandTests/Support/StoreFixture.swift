import Foundation
import Testing
import TributaryCommand
import TributaryTesting

/// Stores in a directory, with a container beside them.
struct StoreFixture {
  let directory: String

  var container: String { directory + "/container" }

  static let schema = """
    CREATE TABLE tracks (id INTEGER PRIMARY KEY, title TEXT UNIQUE, length REAL, cover BLOB);
    CREATE TABLE pairs (a TEXT, b INTEGER, v, PRIMARY KEY (a, b)) WITHOUT ROWID;
    """

  func path(_ name: String) -> String { "\(directory)/\(name).db" }

  /// Attaches a store and expects it to work.
  func attach(_ name: String, _ more: String...) -> Invocation {
    Invocation(
      words: ["attach", path(name), "--container", container, "--name", "Library"] + more)
  }

  /// Runs SQL and expects it to work.
  @discardableResult
  func sql(_ name: String, _ sql: String, _ more: String...) -> String {
    let run = Invocation(words: ["sql", path(name), sql] + more)
    #expect(run.status == .done, "\(run.errors)")
    return run.output
  }

  func write(_ text: String, to name: String) throws {
    try Data(text.utf8).write(to: URL(filePath: "\(directory)/\(name)"))
  }

  /// The paths of all segments.
  func segments() throws -> [String] {
    let files = FileManager.default.enumerator(atPath: container)
    return (files?.compactMap { $0 as? String } ?? []).filter { $0.hasSuffix(".lz4") }.sorted()
      .map { "\(container)/\($0)" }
  }
}

/// Lends the body two stores, `a` with the tables and `b` that has joined.
func withStores(_ body: (StoreFixture) throws -> Void) throws {
  try withTemporaryDirectory { directory in
    let stores = StoreFixture(directory: directory)
    try FileManager.default.createDirectory(
      atPath: stores.container, withIntermediateDirectories: true)
    try stores.write(StoreFixture.schema, to: "schema.sql")
    let created = stores.attach("a", "--schema", directory + "/schema.sql", "--peer-name", "A")
    #expect(created.status == .done, "\(created.errors)")
    let joined = stores.attach("b", "--peer-name", "B")
    #expect(joined.status == .done, "\(joined.errors)")
    try body(stores)
  }
}
