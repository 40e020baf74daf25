import Foundation
import Testing
import TributaryContainer
import TributaryDocuments
import TributaryStore
import TributarySync
import TributaryTesting

struct DocumentOpeningTests {
  @Test func `a new document is a package with metadata, and its store stays on the device`() throws
  {
    try withDocuments { fixture in
      let a = try fixture.device("a")
      var options = fixture.options()
      options.attributes = ["color": "red"]
      let document = try a.create(at: fixture.path("Trip.note"), options: options)
      #expect(document.metadata.contentName.hasPrefix("Trip-"))
      #expect(document.metadata.contentURL == "tributary")
      #expect(document.metadata.attributes == ["color": "red"])
      #expect(document.store.hasPrefix(fixture.directory + "/a/"))
      #expect(
        try FileManager.default.contentsOfDirectory(atPath: fixture.path("Trip.note"))
          == [DocumentMetadata.fileName])
      // Nothing that the carrier transports is a database.
      for file in FileManager.default.enumerator(atPath: fixture.container)! {
        let contents =
          FileManager.default.contents(atPath: "\(fixture.container)/\(file)") ?? Data()
        #expect(!contents.starts(with: Data("SQLite format 3".utf8)), "\(file)")
      }
      let plist = try PropertyListSerialization.propertyList(
        from: Data(
          contentsOf: URL(filePath: fixture.path("Trip.note/DocumentMetadata.plist"))), format: nil)
      let dictionary = try #require(plist as? [String: Any])
      #expect(dictionary["ContentName"] as? String == document.metadata.contentName)
      #expect(dictionary["FormatVersion"] as? Int == 1)
    }
  }

  @Test func `a package that holds only its metadata is rebuilt from the logs, then editable`()
    throws
  {
    try withDocuments { fixture in
      let (a, b) = (try fixture.device("a"), try fixture.device("b"))
      let here = try a.create(at: fixture.path("Trip.note"), options: fixture.options())
      try here.write("1", "a")
      try here.synchronize()
      let there = try b.open(fixture.path("Trip.note"))
      #expect(there.store != here.store)
      #expect(try there.notes() == ["1=a"])
      try there.write("2", "b")
      try there.synchronize()
      try here.synchronize()
      #expect(try here.notes() == ["1=a", "2=b"])
      #expect(try b.open(fixture.path("Trip.note")).report == nil)
      // A store that is gone comes back.
      try FileManager.default.removeItem(atPath: there.store)
      #expect(try b.open(fixture.path("Trip.note")).notes() == ["1=a", "2=b"])
    }
  }

  @Test func `no empty document takes the place of one whose logs have not arrived`() throws {
    try withDocuments { fixture in
      let (a, b) = (try fixture.device("a"), try fixture.device("b"))
      let document = try a.create(at: fixture.path("Trip.note"), options: fixture.options())
      let logs = fixture.container + "/tributary/" + document.metadata.contentName
      try FileManager.default.moveItem(atPath: logs, toPath: fixture.directory + "/later")
      let error = try #require(throws: DocumentError.self) {
        try b.open(fixture.path("Trip.note"), options: fixture.options())
      }
      #expect(error.code == .unavailable)
      #expect(try b.list().map(\.state) == [.incomplete])
      try FileManager.default.moveItem(atPath: fixture.directory + "/later", toPath: logs)
      #expect(try b.open(fixture.path("Trip.note")).notes() == [])
      #expect(try b.list().map(\.state) == [.normal])
    }
  }

  /// A carrier often brings the small file first.
  @Test func `no empty document takes the place of one of which only a peer.json has arrived`()
    throws
  {
    try withDocuments { fixture in
      let (a, b) = (try fixture.device("a"), try fixture.device("b"))
      let document = try a.create(at: fixture.path("Trip.note"), options: fixture.options())
      try document.write("1", "a")
      try document.synchronize()
      let peers =
        fixture.container + "/tributary/" + document.metadata.contentName + "/peers"
      let peer = try #require(FileManager.default.contentsOfDirectory(atPath: peers).first)
      let (log, later) = ("\(peers)/\(peer)/log", fixture.directory + "/later")
      try FileManager.default.moveItem(atPath: log, toPath: later)
      for isEmpty in [false, true] {
        if isEmpty {
          try FileManager.default.createDirectory(
            atPath: log, withIntermediateDirectories: false)
        }
        let error = try #require(throws: DocumentError.self) {
          try b.open(fixture.path("Trip.note"))
        }
        #expect(error.code == .unavailable)
        #expect(try b.list().map(\.state) == [.incomplete])
      }
      try FileManager.default.removeItem(atPath: log)
      try FileManager.default.moveItem(atPath: later, toPath: log)
      #expect(try b.open(fixture.path("Trip.note")).notes() == ["1=a"])
    }
  }

  @Test func `no empty document takes the place of one whose only device has removed its logs`()
    throws
  {
    try withDocuments { fixture in
      let (a, b) = (try fixture.device("a"), try fixture.device("b"))
      let document = try a.create(at: fixture.path("Trip.note"), options: fixture.options())
      try document.write("1", "a")
      try document.synchronize()
      _ = try Engine.detach(store: document.store, removeLogs: true)
      let error = try #require(throws: DocumentError.self) {
        try b.open(fixture.path("Trip.note"), options: fixture.options())
      }
      #expect(error.code == .unavailable)
      #expect(try b.list().map(\.state) == [.incomplete])
    }
  }

  @Test func `a document begins with the contents of a database, which stays as it is`() throws {
    try withDocuments { fixture in
      let (a, b) = (try fixture.device("a"), try fixture.device("b"))
      let source = fixture.directory + "/plain.db"
      try makeDatabase(
        source,
        "CREATE TABLE note (id TEXT PRIMARY KEY, text TEXT); INSERT INTO note VALUES ('1', 'x')")
      let bytes = FileManager.default.contents(atPath: source)
      let document = try a.create(at: fixture.path("Trip.note"), contents: .database(source))
      #expect(try document.notes() == ["1=x"])
      #expect(FileManager.default.contents(atPath: source) == bytes)
      #expect(try b.open(fixture.path("Trip.note")).notes() == ["1=x"])
      // The copy of a store is a document of its own.
      try document.write("2", "y")
      let other = try a.create(at: fixture.path("Other.note"), contents: .database(document.store))
      try other.write("3", "z")
      #expect(try other.notes() == ["1=x", "2=y", "3=z"])
      #expect(try document.notes() == ["1=x", "2=y"])
      #expect(try b.open(fixture.path("Other.note")).notes() == ["1=x", "2=y"])
    }
  }

  @Test func `what cannot become a document leaves nothing`() throws {
    try withDocuments { fixture in
      let a = try fixture.device("a")
      let before = try contents(fixture.container)
      let text = fixture.directory + "/text"
      try Data("no database at all, but long enough to be taken for one".utf8)
        .write(to: URL(filePath: text))
      for source in [text, fixture.directory + "/none"] {
        #expect(throws: (any Error).self) {
          try a.create(at: fixture.path("Trip.note"), contents: .database(source))
        }
      }
      var options = fixture.options()
      options.migrations = [Migration(name: "1", sql: "CREATE TABLE")]
      #expect(throws: (any Error).self) {
        try a.create(at: fixture.path("Trip.note"), options: options)
      }
      #expect(try contents(fixture.container) == before)
      #expect(try contents(fixture.directory + "/a/documents") == [])
      #expect(try a.list().isEmpty)
    }
  }

  private func contents(_ directory: String) throws -> [String] {
    (FileManager.default.enumerator(atPath: directory)?.compactMap { $0 as? String } ?? [])
      .filter { $0 != "tributary" }.sorted()
  }

  private func makeDatabase(_ path: String, _ sql: String) throws {
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = [
      "python3", "-c",
      "import sqlite3, sys; sqlite3.connect(sys.argv[1]).executescript(sys.argv[2]).close()", path,
      sql,
    ]
    try process.run()
    process.waitUntilExit()
    try #require(process.terminationStatus == 0)
  }

  @Test(arguments: [
    ("a/b", DocumentError.Code.missing), ("con.note", .invalidName), ("a?", .invalidName),
    ("x.tmp", .invalidName), (String(repeating: "a", count: 101), .invalidName),
    ("trip.NOTE", .nameCollision), ("Trip.note", .exists), ("a.", .invalidName),
  ])
  func `names that some device could not have are refused`(
    name: String, code: DocumentError.Code
  ) throws {
    try withDocuments { fixture in
      let a = try fixture.device("a")
      _ = try a.create(at: fixture.path("Trip.note"), options: fixture.options())
      let error = try #require(throws: DocumentError.self) {
        try a.create(at: fixture.path(name), options: fixture.options())
      }
      #expect(error.code == code, "\(error)")
      #expect(!error.remedy.isEmpty)
    }
  }

  @Test func `a document opens under its name in other letters`() throws {
    try withDocuments { fixture in
      let a = try fixture.device("a")
      let document = try a.create(at: fixture.path("Café.note"), options: fixture.options())
      #expect(try a.open(fixture.path("café.NOTE")).package == document.package)
      #expect(try a.open(fixture.path("Cafe\u{301}.note")).package == document.package)
      for name in ["café.NOTE", "Cafe\u{301}.note"] {
        #expect(try a.store(of: fixture.path(name)) == document.store)
        #expect(try a.store(of: fixture.path(name), asItIs: true) == document.store)
      }
      // What is made has the name that was given.
      #expect(try a.store(of: fixture.path("café.NOTE"), mayBeNew: true) == nil)
      #expect(try a.list(fixture.container + "/documents").map(\.path) == [document.package])
      let copy = try a.duplicate(fixture.path("CAFÉ.note"), to: fixture.path("Copy.note"))
      let moved = try a.move(fixture.path("copy.Note"), to: fixture.path("Journey.note"))
      #expect(moved == fixture.path("Journey.note"))
      try a.delete(fixture.path("JOURNEY.note"))
      #expect(!fixture.exists(copy.store))
    }
  }

  @Test func `what is no document is said to be none`() throws {
    try withDocuments { fixture in
      let a = try fixture.device("a")
      func code(_ path: String) throws -> DocumentError.Code {
        try #require(throws: DocumentError.self) { try a.open(path) }.code
      }
      #expect(try code(fixture.path("none")) == .missing)
      try FileManager.default.createDirectory(
        atPath: fixture.path("Folder"), withIntermediateDirectories: false)
      #expect(try code(fixture.path("Folder")) == .notADocument)
      let file = URL(filePath: fixture.path("Folder/DocumentMetadata.plist"))
      for text in ["", "<plist><dict>", "bplist00", "{ }"] {
        try Data(text.utf8).write(to: file)
        #expect(try code(fixture.path("Folder")) == .damaged)
      }
      func metadata(_ list: [String: Any]) throws {
        try PropertyListSerialization.data(fromPropertyList: list, format: .xml, options: 0)
          .write(to: file)
      }
      try metadata(["ContentName": "../x", "ContentURL": "tributary", "FormatVersion": 1])
      #expect(try code(fixture.path("Folder")) == .damaged)
      try metadata(["ContentName": "x", "ContentURL": "../..", "FormatVersion": 1])
      #expect(try code(fixture.path("Folder")) == .damaged)
      for other in ["Documents", "deleted", "DOCUMENTS", "a/b"] {
        try metadata(["ContentName": "x", "ContentURL": other, "FormatVersion": 1])
        #expect(try code(fixture.path("Folder")) == .damaged)
      }
      #expect(try a.list().map(\.state) == [.damaged])
      try metadata(["FormatVersion": 2, "ContentName": 1])
      #expect(try code(fixture.path("Folder")) == .newerFormat)
      #expect(try a.list().map(\.state) == [.newerFormat])
    }
  }

  @Test func `a container need not have an identifier`() throws {
    try withDocuments { fixture in
      let shared = fixture.directory + "/plain"
      try FileManager.default.createDirectory(
        atPath: shared + "/Documents", withIntermediateDirectories: true)
      let places = DataPlaces(
        containers: fixture.directory + "/shared", data: fixture.directory + "/a")
      let a = try Documents(containers: Containers(places: places), container: shared)
      let document = try a.create(at: shared + "/Documents/Trip", options: fixture.options())
      #expect(document.container == shared)
      try document.write("1", "a")
      try document.synchronize()
      // Once there are documents, the directory is recognised.
      let b = try fixture.device("b")
      #expect(try b.open(shared + "/Documents/Trip").notes() == ["1=a"])
      #expect(try a.list().map(\.path) == [shared + "/Documents/Trip"])
    }
  }

  @Test func `a disabled container opens no documents`() throws {
    try withDocuments { fixture in
      let a = try fixture.device("a")
      _ = try a.create(at: fixture.path("Trip.note"), options: fixture.options())
      try a.containers.disable(DocumentFixture.identifier)
      let error = try #require(throws: DocumentError.self) { try a.open(fixture.path("Trip.note")) }
      #expect(error.code == .unavailable)
      #expect(try a.list().isEmpty)
    }
  }

  @Test func `the models are the SQL files of a directory, in order`() throws {
    try withDocuments { fixture in
      let bundle = fixture.directory + "/Bundle"
      try FileManager.default.createDirectory(
        atPath: bundle + "/Models", withIntermediateDirectories: true)
      try Data("INSERT INTO note VALUES ('1', 'seed')".utf8)
        .write(to: URL(filePath: bundle + "/2-seed.sql"))
      try Data("CREATE TABLE note (id TEXT PRIMARY KEY, text TEXT)".utf8)
        .write(to: URL(filePath: bundle + "/Models/1-notes.sql"))
      try Data("x".utf8).write(to: URL(filePath: bundle + "/readme.txt"))
      let migrations = try DocumentModels.find(in: bundle)
      #expect(migrations.map(\.name) == ["1-notes", "2-seed"])
      let a = try fixture.device("a")
      let document = try a.create(
        at: fixture.path("Trip"), options: DocumentOptions(migrations: migrations))
      #expect(try document.notes() == ["1=seed"])
      #expect(throws: DocumentError.self) {
        try DocumentModels.find(in: fixture.directory + "/shared")
      }
    }
  }
}
