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
    /// An identity, in whose place the documentation has another one.
    var hidden: String?

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
        .replacingOccurrences(of: hidden ?? directory, with: "0123456789abcdef0123456789abcdef")
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
      try await rows(table)
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
    table.refuse("A container without a path") { _ = try Container(at: "") }
    await table.refuse("A store without a path") { try await open("") }
    await table.refuse("A store at the path of a directory") { try await open(table.directory) }
    await table.refuse("A store in a directory that is not there") {
      try await open(table.directory + "/none/a.sqlite")
    }
    await table.refuse("A store inside the container") {
      try await open(devices.container.path + "/a.sqlite")
    }
    await table.refuse("A file that is not a database") {
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
    await table.refuse("A migration with the name of another one") {
      try await open(devices.path("twice")) {
        $0.contentName = "Twice"
        $0.schema = Schema([Devices.schema.migrations[0], Devices.schema.migrations[0]])
      }
    }
    await table.refuse("An invalid content name") {
      try await open(devices.path("named")) { $0.contentName = "a/b" }
    }
    await table.refuse("A way of merging for a table that is not there") {
      try await open(devices.path("merged")) {
        $0.contentName = "Merged"
        $0.merge = MergeOptions(tables: ["nothing": TableMerge(merge: .row)])
      }
    }
    await table.refuse("An extension that is not there") {
      try await open(devices.path("extended")) { $0.extensions = [table.directory + "/none.so"] }
    }
    await table.refuse("A function with a name that SQLite has") {
      try await open(devices.path("prepared")) {
        $0.prepare = { try $0.createFunction("upper") { _ in .null } }
      }
    }
    table.refuse("A reader of a store that is not there") {
      _ = try StoreReader(at: table.directory + "/nothing.sqlite")
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
    write("A backup, a synchronisation or a detaching in a write") { _ in try store.detach() }
    write("A transaction of one's own") { try $0.execute("BEGIN") }
    write("Text that is not SQL") { try $0.execute("DELTE FROM album") }
    write("Two statements in one query") { _ = try $0.query("SELECT 1; SELECT 2") }
    write("Too few values") { try $0.execute("DELETE FROM album WHERE id = ?") }
    write("Too many values") { try $0.execute("DELETE FROM album WHERE id = ?", 1, 2) }
    write("A prepared statement that runs before it has its values") {
      try $0.prepare("DELETE FROM album WHERE id = ?").run()
    }
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
    write("A table that there is not") { try $0.execute("DELETE FROM lyrics") }
    write("A column that no table has") { _ = try $0.query("SELECT lyrics FROM album") }
    write("A statement that no transaction may have") { try $0.execute("VACUUM") }
    write("A savepoint that there is not") { try $0.execute("ROLLBACK TO here") }
    write("A violated constraint") {
      try $0.execute("INSERT INTO album VALUES (1, 'Blue', NULL), (2, 'Blue', NULL)")
    }
    write("A write after a statement has rolled the transaction back") { db in
      try db.execute("INSERT INTO album VALUES (1, 'Blue', NULL)")
      // The mistake: its error, which says that the transaction is gone, is passed over.
      try? db.execute("INSERT OR ROLLBACK INTO album VALUES (1, 'Hejira', NULL)")
      try db.execute("DELETE FROM track")
    }
    write("A prepared statement that runs within its own rows") { db in
      let statement = try db.prepare("SELECT ? UNION ALL SELECT 2")
      try statement.forEach([1]) { _ in _ = try statement.query([3]) }
    }
    write("A table that is dropped while it is read") { db in
      try db.forEach("SELECT 1 UNION ALL SELECT id FROM track") { _ in
        try db.execute("DROP TABLE track")
      }
    }
    write("A change of the store's own tables") {
      try $0.execute("DELETE FROM tributary_outbox")
    }
    var kept: Database?
    try store.write { kept = $0 }
    table.refuse("A database, used after its closure") {
      try kept?.execute("DELETE FROM album")
    }
    var statement: PreparedStatement?
    try store.write { statement = try $0.prepare("DELETE FROM album") }
    table.refuse("A prepared statement, used after its closure") { try statement?.run() }
    store.close()
  }

  private struct Album: Codable {
    var id: Int64?
    var title: String
  }
  private struct Song: Codable { var lyrics: String }
  private struct Tags: Codable { var tags: [String] }

  private func rows(_ table: Table) async throws {
    let store = try await Devices(in: table.directory).open("c")
    func write(_ mistake: String, _ body: (Database) throws -> Void) {
      table.refuse(mistake) { try store.write(body) }
    }
    write("NULL where the property is not optional") {
      _ = try $0.query(Album.self, "SELECT 1 AS id, NULL AS title")
    }
    write("A column that contains something else than the property can be") {
      _ = try $0.query(Int.self, "SELECT 'Blue' AS title")
    }
    write("A property without a column") { _ = try $0.query(Album.self, "SELECT 1 AS id") }
    write("Several columns for a type of one value") { _ = try $0.query(Int.self, "SELECT 1, 2") }
    write("A property that no column can have") {
      _ = try $0.query(Tags.self, "SELECT 'a' AS tags")
    }
    write("An insertion into a table that is not there") {
      try $0.insert(Album(id: 1, title: "Blue"), into: "lyrics")
    }
    write("An insertion of a property without a column") {
      try $0.insert(Song(lyrics: "I remember"), into: "album")
    }
    write("An update of a table that is not there") {
      try $0.update(Album(id: 1, title: "Blue"), in: "lyrics")
    }
    write("An update without the key of the row") {
      try $0.update(Album(id: nil, title: "Blue"), in: "album")
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
    let other = try await Devices(in: table.directory).open("other")
    table.refuse("A version that is later than the store") {
      try other.write { try $0.execute("INSERT INTO album VALUES (7, 'Court and Spark', NULL)") }
      let later = try #require(Version("\(store.peer)-\(store.peer).1000"))
      try store.write(basedOn: later) { _ in }
    }
    other.close()
    table.refuse("A peer that there is not") { try store.retire("nobody") }
    table.hidden = "\(store.peer)"
    table.refuse("A store that retires itself") { try store.retire("\(store.peer)") }
    await table.refuse("An observation of a table that is not there") {
      for try await _ in store.values(tracking: ["nothing"], { _ in 1 }) { break }
    }
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
    table.refuse("A value that is too large") {
      try store.set(String(repeating: "v", count: 2 << 20), forKey: "key")
    }
    try store.close()
    table.refuse("A key-value store that was closed") { try store.set(true, forKey: "key") }
    await table.refuse("A key-value store, opened again with another profile") {
      try await KeyValueStore.open(at: path, options: options(.compact)).close()
    }
    await table.refuse("A key-value store at the path of another database") {
      try await KeyValueStore.open(
        at: table.directory + "/c.sqlite", options: options(.standard)
      ).close()
    }
    await table.refuse("An invalid identifier of a key-value store") {
      var nameless = options(.standard)
      nameless.identifier = ""
      try await KeyValueStore.open(at: table.directory + "/nameless.sqlite", options: nameless)
        .close()
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
    let directory = table.directory + "/documents"
    try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
    let path = directory + "/Trip.note"
    let document = try await ManagedDocument.create(at: path, options: options)
    await table.refuse("A document where something is already") {
      _ = try await ManagedDocument.create(at: path, options: options)
    }
    await table.refuse("A document in a directory that is not there") {
      _ = try await ManagedDocument.create(at: directory + "/none/Trip.note", options: options)
    }
    await table.refuse("A document whose name a device could not have") {
      _ = try await ManagedDocument.create(at: directory + "/CON.note", options: options)
    }
    await table.refuse("A directory that is no document") {
      _ = try await ManagedDocument.open(at: directory, options: options)
    }
    document.disableEditing()
    table.refuse("A write into a document while editing is disabled") {
      try document.write { _ in }
    }
    document.enableEditing()
    await document.close()
    table.refuse("A document that was closed") { try document.read { _ in } }
    let entitlements = table.directory + "/entitlements"
    try Data(
      """
      <?xml version="1.0" encoding="UTF-8"?><plist version="1.0"><dict>
      <key>com.apple.developer.ubiquity-container-identifiers</key>
      <array><string>iCloud.com.example.Notes</string></array></dict></plist>
      """.utf8
    ).write(to: URL(filePath: entitlements))
    table.refuse("A container that the entitlements do not grant") {
      _ = try Container.lookup(
        "iCloud.com.example.Other", entitlements: Entitlements(contentsOf: entitlements),
        places: options.places)
    }
    table.refuse("An invalid container identifier") { _ = try ContainerIdentifier("a b") }
    table.refuse("Coordination of a URL that is no file") {
      try FileCoordinator().coordinate(
        readingItemAt: URL(string: "https://example.com/a")!
      ) { _ in }
    }
    let query = try MetadataQuery(scopes: [.directory(URL(filePath: table.directory))])
    try query.start()
    table.refuse("A query that is started twice") { try query.start() }
    query.stop()
    table.refuse("A query that searches nowhere") { _ = try MetadataQuery(scopes: []) }
    table.refuse("An invalid pattern") { _ = try NamePattern("[a") }
  }
}
