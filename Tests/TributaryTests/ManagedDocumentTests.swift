import Foundation
import Synchronization
import Testing
import Tributary
import TributaryTesting

struct ManagedDocumentTests {
  private static let schema: Schema = [
    Migration(name: "1", sql: "CREATE TABLE note (id INTEGER PRIMARY KEY, text TEXT)")
  ]

  /// The options of a device that shares `directory`.
  private func options(_ device: String, _ directory: String) -> ManagedDocumentOptions {
    var options = ManagedDocumentOptions(schema: Self.schema)
    options.places = DataPlaces(
      containers: directory + "/shared", data: "\(directory)/\(device)")
    return options
  }

  private func documents(_ directory: String) throws -> String {
    let container = try #require(
      try Container.lookup(
        "iCloud.com.example.Notes", places: options("a", directory).places))
    return container.documents
  }

  private func insert(_ text: String, _ document: ManagedDocument) throws {
    try document.write { try $0.execute("INSERT INTO note (text) VALUES (?)", text) }
  }

  private func notes(_ document: ManagedDocument) throws -> [String] {
    try document.read {
      try $0.query("SELECT text FROM note ORDER BY text").compactMap { $0.string("text") }
    }
  }

  @Test func `two devices share a document, and each hears of the other's writes`() async throws {
    try await withTemporaryDirectory { directory in
      let path = try documents(directory) + "/Trip.note"
      let a = try await ManagedDocument.create(at: path, options: options("a", directory))
      let b = try await ManagedDocument.open(at: path, options: options("b", directory))
      #expect(a.localizedName == "Trip")
      #expect(a.fileURL.lastPathComponent == "Trip.note")
      #expect(a.documentState == .normal)
      let posted = Mutex<[[String]]>([])
      let observation = NotificationCenter.default.addObserver(
        forName: .didImportUbiquitousContentChanges, object: b, queue: nil
      ) { note in
        let inserted =
          note.userInfo?[ImportNotificationKey.inserted] as? [String: [[Value]]] ?? [:]
        posted.withLock { $0.append(Array(inserted.keys)) }
      }
      defer { NotificationCenter.default.removeObserver(observation) }
      var imports = b.imports.makeAsyncIterator()
      try insert("from a", a)
      #expect(a.hasUnsavedChanges)
      // By themselves.
      let change = try #require(await imports.next())
      #expect(change.tables.keys.map(\.text) == ["note"])
      #expect(try notes(b) == ["from a"])
      try eventually { posted.withLock { $0 } == [["note"]] }
      #expect(await a.close())
      #expect(await b.close())
      #expect(await imports.next() == nil)
    }
  }

  @Test func `asynchronous code reads and writes a document, and is cancelled`() async throws {
    try await withTemporaryDirectory { directory in
      let path = try documents(directory) + "/Trip.note"
      let document = try await ManagedDocument.create(at: path, options: options("a", directory))
      let version = try await document.async.read { try $0.version }
      try await document.async.write { try $0.execute("INSERT INTO note VALUES (1, 'x')") }
      try await document.async.write(basedOn: version) {
        try $0.execute("INSERT INTO note VALUES (2, 'y')")
      }
      let task = Task {
        withUnsafeCurrentTask { $0?.cancel() }
        try await document.async.write { try $0.execute("DELETE FROM note") }
      }
      await #expect(throws: CancellationError.self) { try await task.value }
      #expect(
        try await document.async.read { try $0.query(String.self, "SELECT text FROM note") }
          == ["x", "y"])
      #expect(await document.close())
      let error = await #expect(throws: DocumentError.self) {
        try await document.async.read { _ in }
      }
      #expect(error?.code == .closed)
    }
  }

  @Test func `states are announced as a sequence and as notifications`() async throws {
    try await withTemporaryDirectory { directory in
      let path = try documents(directory) + "/Trip.note"
      let document = try await ManagedDocument.create(at: path, options: options("a", directory))
      let posted = Mutex<[DocumentState]>([])
      let observation = NotificationCenter.default.addObserver(
        forName: ManagedDocument.stateChangedNotification, object: document, queue: nil
      ) { note in
        guard let state = note.userInfo?[ManagedDocument.stateKey] as? DocumentState else { return }
        posted.withLock { $0.append(state) }
      }
      defer { NotificationCenter.default.removeObserver(observation) }
      let states = document.states
      document.disableEditing()
      document.enableEditing()
      await document.close()
      var seen: [DocumentState] = []
      for await state in states { seen.append(state) }
      #expect(seen == [.editingDisabled, .normal, .closed])
      #expect(posted.withLock { $0 } == seen)
    }
  }

  @Test func `a document is renamed, moved, duplicated and deleted while it is open`() async throws
  {
    try await withTemporaryDirectory { directory in
      let root = try documents(directory)
      let local = directory + "/Draft.note"
      let document = try await ManagedDocument.create(at: local, options: options("a", directory))
      #expect(document.container == nil)
      try insert("1", document)
      try await document.move(to: root + "/Trip.note")
      #expect(document.container?.documents == root)
      try await document.rename(to: "Journey.note")
      #expect(document.path == root + "/Journey.note")
      try await document.duplicate(to: root + "/Copy.note")
      try insert("2", document)
      let list = try await ManagedDocument.list(options: options("b", directory))
      #expect(list.map(\.name) == ["Copy", "Journey"])
      await #expect(throws: DocumentError.self) {
        try await ManagedDocument.open(at: #require(URL(string: "https://example.com/x")))
      }
      let copy = try await ManagedDocument.open(
        at: URL(filePath: root + "/Copy.note"), options: options("b", directory))
      #expect(try notes(copy) == ["1"])
      try await document.delete()
      #expect(document.documentState == .closed)
      await copy.close()
      let rest = try await ManagedDocument.list(options: options("b", directory))
      #expect(rest.map(\.name) == ["Copy"])
      try await ManagedDocument.delete(
        at: root + "/Copy.note", options: options("a", directory))
      #expect(try await ManagedDocument.list(options: options("b", directory)).isEmpty)
    }
  }

  @Test func `the models are found by themselves in a directory`() async throws {
    try await withTemporaryDirectory { directory in
      try FileManager.default.createDirectory(
        atPath: directory + "/Models", withIntermediateDirectories: false)
      try Data("CREATE TABLE note (id INTEGER PRIMARY KEY, text TEXT)".utf8)
        .write(to: URL(filePath: directory + "/Models/1.sql"))
      var options = options("a", directory)
      options.schema = nil
      options.modelDirectory = directory + "/Models"
      let document = try await ManagedDocument.create(
        at: directory + "/Trip.note", options: options)
      try insert("x", document)
      #expect(try notes(document) == ["x"])
      await document.close()
    }
  }

  @Test func `a document that is released keeps what was written`() async throws {
    try await withTemporaryDirectory { directory in
      let path = try documents(directory) + "/Trip.note"
      do {
        let document = try await ManagedDocument.create(at: path, options: options("a", directory))
        try insert("x", document)
      }
      let again = try await ManagedDocument.open(at: path, options: options("a", directory))
      #expect(try notes(again) == ["x"])
      #expect(await again.close())
      let other = try await ManagedDocument.open(at: path, options: options("b", directory))
      #expect(try notes(other) == ["x"])
      await other.close()
    }
  }

  @Test func `a list tells what it has removed, and what only this device had`() async throws {
    try await withTemporaryDirectory { directory in
      let path = try documents(directory) + "/Trip.note"
      let a = try await ManagedDocument.create(at: path, options: options("a", directory))
      #expect(await a.close())
      let store = directory + "/b/documents/\(a.metadata.contentName)/store.sqlite"
      let b = try await ManagedDocument.open(at: path, options: options("b", directory))
      // What is written while the container is away stays unpublished.
      let away = directory + "/away"
      try FileManager.default.moveItem(atPath: directory + "/shared", toPath: away)
      try insert("only b has it", b)
      #expect(await !b.close())
      try FileManager.default.moveItem(atPath: away, toPath: directory + "/shared")
      try await ManagedDocument.delete(at: path, options: options("a", directory))
      let changes = Recorded<DocumentChange>()
      let list = try await ManagedDocument.list(
        options: options("b", directory), didSkip: { Issue.record("\($0)") },
        didChange: { changes.append($0) })
      #expect(list.isEmpty)
      #expect(changes.all.map(\.kind) == [.deleted])
      #expect(changes.all.map(\.path) == [path])
      let kept = "\(directory)/b/removed/\(a.metadata.contentName)/store.sqlite"
      #expect(changes.all.map(\.keptStore) == [kept])
      #expect(FileManager.default.fileExists(atPath: kept))
      #expect(!FileManager.default.fileExists(atPath: store))
    }
  }

  @Test func `moving, duplicating and deleting end with their task, and the document stays`()
    async throws
  {
    try await withTemporaryDirectory { directory in
      let path = try documents(directory) + "/Trip.note"
      let document = try await ManagedDocument.create(at: path, options: options("a", directory))
      try insert("1", document)
      let steps: [@Sendable () async throws -> Void] = [
        { try await document.move(to: directory + "/New.note") },
        { try await document.rename(to: "New.note") },
        { _ = try await document.duplicate(to: directory + "/New.note") },
        { try await document.delete() },
        { [options = options("a", directory)] in
          try await ManagedDocument.delete(at: path, options: options)
        },
      ]
      for step in steps {
        let task = Task {
          withUnsafeCurrentTask { $0?.cancel() }
          try await step()
        }
        await #expect(throws: CancellationError.self) { try await task.value }
      }
      #expect(document.documentState == .normal)
      #expect(document.path == path)
      try insert("2", document)
      #expect(try notes(document) == ["1", "2"])
      #expect(!FileManager.default.fileExists(atPath: directory + "/New.note"))
      #expect(await document.close())
    }
  }
}
