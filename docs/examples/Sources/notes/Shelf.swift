import Foundation
import Tributary

/// The notes in a shared directory.
struct Shelf {
  private let container: Container
  private let options: ManagedDocumentOptions

  /// What every note is made of. Keys are random, so that lines that two devices add are two lines.
  private static let schema: Schema = [
    Migration(
      name: "001-lines",
      sql: """
        CREATE TABLE line (
          id INTEGER PRIMARY KEY, position INTEGER NOT NULL, text TEXT NOT NULL,
          done INTEGER NOT NULL DEFAULT 0)
        """)
  ]

  init(_ container: Container) throws {
    self.container = container
    var options = ManagedDocumentOptions(schema: Self.schema)
    options.container = container
    self.options = options
    try FileManager.default.createDirectory(
      atPath: container.documents, withIntermediateDirectories: true)
  }

  private func path(of name: String) -> String { "\(container.documents)/\(name).note" }

  /// Opens a note, which rebuilds its database if another device has made it; then brings it up to date.
  private func open(_ name: String) async throws -> ManagedDocument {
    let note = try await ManagedDocument.open(at: path(of: name), options: options)
    try await note.save()
    return note
  }

  /// Does something with a note, and publishes it.
  private func withNote(_ name: String, _ body: (ManagedDocument) throws -> Void) async throws {
    let note = try await open(name)
    do {
      try body(note)
    } catch {
      await note.close()
      throw error
    }
    await note.close()
  }

  func list() async throws {
    for note in try await ManagedDocument.list(container.documents, options: options) {
      let mark = note.state == .normal ? "" : " (\(note.state.rawValue))"
      print("\(note.name)\(mark)")
    }
  }

  func make(_ name: String) async throws {
    let note = try await ManagedDocument.create(at: path(of: name), options: options)
    await note.close()
  }

  func add(_ text: String, to name: String) async throws {
    try await withNote(name) { note in
      try note.write { db in
        try db.execute(
          """
          INSERT INTO line (id, position, text)
          VALUES (?, (SELECT ifnull(max(position), 0) + 1 FROM line), ?)
          """, Int64.random(in: 1...Int64.max), text)
      }
    }
  }

  func check(_ number: Int, of name: String) async throws {
    try await withNote(name) { note in
      try note.write { db in
        try db.execute(
          """
          UPDATE line SET done = 1
          WHERE id = (SELECT id FROM line ORDER BY position, id LIMIT 1 OFFSET ?)
          """, number - 1)
      }
    }
  }

  func show(_ name: String) async throws {
    try await withNote(name) { note in
      try note.read { db in
        var number = 0
        try db.forEach("SELECT text, done FROM line ORDER BY position, id") { line in
          number += 1
          print("\(number). [\(line.integer(at: 1) == 1 ? "x" : " ")] \(line.string(at: 0) ?? "")")
        }
      }
      // What two devices have written at the same time is never lost.
      for conflict in try note.conflicts() {
        print(
          "   not shown:",
          conflict.values.map { "\($0.column) \($0.value)" }.joined(separator: ", "))
      }
    }
  }

  func rename(_ name: String, to newName: String) async throws {
    let note = try await open(name)
    do {
      try await note.move(to: path(of: newName))
    } catch {
      await note.close()
      throw error
    }
    await note.close()
  }

  func delete(_ name: String) async throws {
    try await ManagedDocument.delete(at: path(of: name), options: options)
  }

  func follow(_ name: String) async throws {
    let note = try await open(name)
    // Listen first, then look: nothing that happens in between is missed.
    let imports = note.imports
    print("following \(note.localizedName)")
    fflush(nil)
    for await change in imports {
      let lines = change.tables["line"]
      print(
        "\(lines?.inserted.count ?? 0) lines are new, \(lines?.updated.count ?? 0) have changed,",
        "\(lines?.deleted.count ?? 0) are gone")
      fflush(nil)
    }
    if let failure = note.failure { throw failure }
  }
}
