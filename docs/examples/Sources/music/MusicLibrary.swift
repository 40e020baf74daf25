import Foundation
import Tributary

/// The library of one device.
struct MusicLibrary {
  let store: Store

  /// Migrations run once, in this order. The second one came with a later version of the program: devices that do not have
  /// that version yet share everything else.
  private static let schema: Schema = [
    Migration(
      name: "001-albums",
      sql: """
        CREATE TABLE artist (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE);
        CREATE TABLE album (
          id INTEGER PRIMARY KEY, artist INTEGER NOT NULL REFERENCES artist (id),
          title TEXT NOT NULL, year INTEGER, plays INTEGER NOT NULL DEFAULT 0);
        CREATE INDEX album_by_artist ON album (artist);
        """),
    Migration(
      name: "002-ratings",
      sql: "ALTER TABLE album ADD COLUMN stars INTEGER CHECK (stars BETWEEN 1 AND 5)"),
  ]

  /// Listenings on two devices add up. Artists of the same name are one artist, no matter which device added them first.
  private static let merge = MergeOptions(tables: [
    "album": TableMerge(columns: ["plays": .counter]),
    "artist": TableMerge(identifyingColumns: ["name"]),
  ])

  init(at path: String, container: Container, isService: Bool) async throws {
    var options = StoreOptions(
      contentName: "Music", container: container, schema: Self.schema, merge: Self.merge)
    options.synchronizesAutomatically = isService
    store = try await Store.open(at: path, options: options)
  }

  func close() { store.close() }

  // MARK: Writing

  func add(_ title: String, by artist: String, year: Int?) throws {
    // No other device gives the same key.
    let id = Int64.random(in: 1...Int64.max)
    try store.write { db in
      try db.execute("INSERT INTO artist (name) VALUES (?) ON CONFLICT DO NOTHING", artist)
      try db.execute(
        """
        INSERT INTO album (id, artist, title, year)
        VALUES (:id, (SELECT id FROM artist WHERE name = :artist), :title, :year)
        """, ["id": id, "artist": artist, "title": title, "year": year])
    }
  }

  func play(_ title: String) throws {
    try change(title) { db, album in
      try db.execute("UPDATE album SET plays = plays + 1 WHERE id = ?", album)
    }
  }

  func rate(_ title: String, _ stars: Int) throws {
    try change(title) { db, album in
      try db.execute("UPDATE album SET stars = ? WHERE id = ?", stars, album)
    }
  }

  private func change(_ title: String, _ body: (Database, Value) throws -> Void) throws {
    try store.write { db in
      let albums = try db.query("SELECT id FROM album WHERE title = ?", title)
      guard let album = albums.first?["id"] else {
        throw Music.Misuse(message: "there is no album \(title)")
      }
      try body(db, album)
    }
  }

  // MARK: Reading

  func list() throws {
    try store.read { db in
      try db.forEach(
        """
        SELECT artist.name, title, year, plays, stars
        FROM album JOIN artist ON artist.id = artist ORDER BY name, year, title
        """
      ) { album in
        let year = album.integer(at: 2).map { " (\($0))" } ?? ""
        let stars = String(repeating: "*", count: Int(album.integer(at: 4) ?? 0))
        print(
          "\(album.string(at: 0) ?? ""): \(album.string(at: 1) ?? "")\(year)",
          "\(album.integer(at: 3) ?? 0) plays", stars)
      }
    }
  }

  func listConflicts() throws {
    for conflict in try store.conflicts() {
      let lost = conflict.values.map { "\($0.column) = \($0.value)" }.joined(separator: ", ")
      print("\(conflict.id) \(conflict.table) \(conflict.key): not shown is \(lost)")
    }
  }

  func settle(_ id: String, _ resolution: Resolution) throws {
    if try !store.resolve(id, resolution) { print("it was settled already") }
  }

  // MARK: Synchronising

  /// Publishes what was written, and imports what has arrived. Without the shared directory, that is done later.
  func publish() async throws {
    let report = try await store.synchronize()
    if let failure = report.failure {
      FileHandle.standardError.write(Data("music: saved, not shared yet: \(failure)\n".utf8))
    }
  }

  /// Prints what changes, no matter who writes it, until it is interrupted.
  func serve() async throws {
    // Listen first, then look: nothing that happens in between is missed.
    let changes = store.changes
    let conflicts = store.newConflicts
    let interruptions = Interruptions.here()
    print("serving \(store.path)")
    fflush(nil)
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask {
        for await change in changes { try self.tell(change) }
      }
      group.addTask {
        for await found in conflicts {
          for conflict in found { say("conflict \(conflict.id) in table \(conflict.table)") }
        }
      }
      for await _ in interruptions { break }
      // The sequences end, and so do the tasks.
      store.close()
      try await group.waitForAll()
    }
    say("stopped")
  }

  private func tell(_ change: StoreChange) throws {
    if change.mayHaveChangedEverything { return say("much has changed") }
    let albums = change.tables["album"]
    let origin = change.origin == .peers ? "from another device" : "here"
    for key in (albums?.inserted.keys ?? []) + (albums?.updated.keys ?? []) {
      let rows = try store.read { db in
        try db.query("SELECT title, plays FROM album WHERE id = ?", key[0])
      }
      if let row = rows.first {
        say("\(row.string("title") ?? ""), \(row.integer("plays") ?? 0) plays, \(origin)")
      }
    }
    if let count = albums?.deleted.count, count > 0 { say("\(count) albums are gone") }
  }
}

/// Prints a line at once.
private func say(_ text: String) {
  print(text)
  fflush(nil)
}
