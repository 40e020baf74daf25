import Foundation
import Testing
import Tributary
import TributaryTesting

/// The table of misuse in docs/errors.md, which has one row for each mistake.
struct MisuseTableTests {
  /// One mistake after another, and the rows that they make.
  private final class Table {
    let directory: String
    private(set) var rows: [String] = []

    init(_ directory: String) { self.directory = directory }

    func add(_ mistake: String, _ error: (any Error)?) {
      guard let error = error as? any TributaryError else {
        Issue.record("\(mistake): \(String(describing: error))")
        return
      }
      #expect(!error.message.isEmpty)
      #expect(error.localizedDescription == error.description)
      let text = error.description
        .replacingOccurrences(of: directory, with: "/data")
        .replacingOccurrences(of: "|", with: "\\|")
      rows.append("| \(mistake) | `\(type(of: error))`, `\(error.code)` | \(text) |")
    }

    func refuse(_ mistake: String, _ body: () throws -> Void) {
      add(mistake, #expect(throws: (any Error).self, "\(mistake)") { try body() })
    }

    func refuse(_ mistake: String, _ body: () async throws -> Void) async {
      add(
        mistake, await #expect(throws: (any Error).self, "\(mistake)") { try await body() })
    }
  }

  /// The rows of the table in the documentation.
  private func documented() throws -> [String] {
    let page = URL(filePath: #filePath).deletingLastPathComponent()
      .appending(path: "../../docs/errors.md").standardizedFileURL
    return try String(contentsOf: page, encoding: .utf8).split(separator: "\n").map(String.init)
      .filter { $0.hasPrefix("| ") && $0.contains("Error`, `") }
  }

  @Test func `each mistake is refused in the words of the documentation`() async throws {
    try await withTemporaryDirectory { directory in
      let table = Table(directory)
      try await opening(table)
      try await statements(table)
      try await stores(table)
      try await keyValues(table)
      try await files(table)
      let documented = try documented()
      #expect(documented == table.rows, "\(table.rows.joined(separator: "\n"))")
    }
  }

  private func opening(_ table: Table) async throws {
    let devices = try Devices(in: table.directory)
    func open(
      _ path: String, _ change: (inout StoreOptions) -> Void = { _ in }
    ) async throws {
      var options = StoreOptions(
        contentName: "Library", container: devices.container, schema: Devices.schema)
      options.synchronizesAutomatically = false
      change(&options)
      try await Store.open(at: path, options: options).close()
    }
    table.refuse("A container that is not there") {
      _ = try Container(at: table.directory + "/none")
    }
    await table.refuse("A store without a path") { try await open("") }
    await table.refuse("A store at the path of a directory") { try await open(table.directory) }
    await table.refuse("A store in a directory that is not there") {
      try await open(table.directory + "/none/a.sqlite")
    }
    await table.refuse("A store inside the container") {
      try await open(devices.container.path + "/a.sqlite")
    }
    await table.refuse("A database that is none") {
      try Data("no database, but a text that is long enough".utf8)
        .write(to: URL(filePath: devices.path("text")))
      try await open(devices.path("text"))
    }
    try await open(devices.path("opened"))
    await table.refuse("A store, opened again under another content name") {
      try await open(devices.path("opened")) { $0.contentName = "Other" }
    }
    await table.refuse("A store, opened again with migrations that are not those that have run") {
      try await open(devices.path("opened")) {
        $0.schema = [Migration(name: "001", sql: "CREATE TABLE other (id INTEGER PRIMARY KEY)")]
      }
    }
    await table.refuse("A migration that fails") {
      try await open(devices.path("failing")) {
        $0.contentName = "Failing"
        $0.schema = [Migration(name: "001", sql: "CREATE TABLE")]
      }
    }
    await table.refuse("A selection of a table that is not there") {
      try await open(devices.path("selected")) {
        $0.contentName = "Selected"
        $0.tables = .only(["nothing"])
      }
    }
  }

  private func statements(_ table: Table) async throws {
    let store = try await Devices(in: table.directory).open("a")
    func write(_ mistake: String, _ body: (Database) throws -> Void) {
      table.refuse(mistake) { try store.write(body) }
    }
    write("A write in a write") { _ in try store.write { _ in } }
    table.refuse("A write in a read") { try store.read { try $0.execute("DELETE FROM album") } }
    write("A transaction of one's own") { try $0.execute("BEGIN") }
    write("SQL that is none") { try $0.execute("DELTE FROM album") }
    write("Two statements in one query") { _ = try $0.query("SELECT 1; SELECT 2") }
    write("Too few values") { try $0.execute("DELETE FROM album WHERE id = ?") }
    write("A name without a value") {
      try $0.execute("DELETE FROM album WHERE id = :id", ["other": 1] as Arguments)
    }
    write("A value for a name that there is not") {
      try $0.execute("DELETE FROM album WHERE id = :id", ["id": 1, "other": 2] as Arguments)
    }
    write("A parameter that there is not") {
      try $0.prepare("DELETE FROM album WHERE id = ?").bind(1, at: 2)
    }
    write("A column that there is not") {
      _ = try $0.query("SELECT 1 AS one")[0].value(at: 1)
    }
    write("A violated constraint") {
      try $0.execute("INSERT INTO album VALUES (1, 'Blue', NULL), (2, 'Blue', NULL)")
    }
    write("A change of the store's own tables") {
      try $0.execute("DELETE FROM tributary_outbox")
    }
    var kept: Database?
    try store.write { kept = $0 }
    table.refuse("A database, used after its closure") {
      try kept?.execute("DELETE FROM album")
    }
    store.close()
  }

  private func stores(_ table: Table) async throws {
    let store = try await Devices(in: table.directory).open("b")
    table.refuse("A conflict that there is not") { try store.resolve("0123456789abcdef", .keep) }
    table.refuse("A version of another store") {
      let foreign = try #require(Version("00000000000000000000000000000001"))
      try store.write(basedOn: foreign) { _ in }
    }
    table.refuse("A peer that there is not") { try store.retire("nobody") }
    table.refuse("A backup onto a file that is there") { try store.backup(to: store.path) }
    store.close()
    table.refuse("A store that was closed") { try store.read { _ in } }
    await table.refuse("A rebuild of a store that is not there") {
      try await Store.rebuild(at: table.directory + "/nothing.sqlite")
    }
  }

  private func keyValues(_ table: Table) async throws {
    let container = try Devices(in: table.directory).container
    func options(_ profile: KeyValueProfile) -> KeyValueStoreOptions {
      var options = KeyValueStoreOptions(
        identifier: "com.example.app", container: container, profile: profile)
      options.synchronizesAutomatically = false
      return options
    }
    let path = table.directory + "/settings.sqlite"
    let store = try await KeyValueStore.open(at: path, options: options(.standard))
    table.refuse("A key without a letter") { try store.set(true, forKey: "") }
    table.refuse("A key that is too long") {
      try store.set(true, forKey: String(repeating: "k", count: 1000))
    }
    table.refuse("A value that no property list has") {
      try store.set(store as Any?, forKey: "key")
    }
    try store.close()
    table.refuse("A key-value store that was closed") { try store.set(true, forKey: "key") }
    await table.refuse("A key-value store, opened again with another profile") {
      try await KeyValueStore.open(at: path, options: options(.compact)).close()
    }
  }

  private func files(_ table: Table) async throws {
    var options = ManagedDocumentOptions(schema: Devices.schema)
    options.places = DataPlaces(
      containers: table.directory + "/containers", data: table.directory + "/device")
    await table.refuse("A document that is not there") {
      _ = try await ManagedDocument.open(
        at: table.directory + "/containers/None.note", options: options)
    }
    table.refuse("An identifier that is none") { _ = try ContainerIdentifier("a b") }
    table.refuse("Coordination of a URL that is no file") {
      try FileCoordinator().coordinate(
        readingItemAt: URL(string: "https://example.com/a")!
      ) { _ in }
    }
    table.refuse("A query that searches nowhere") { _ = try MetadataQuery(scopes: []) }
    table.refuse("A pattern that is none") { _ = try NamePattern("[a") }
  }
}
