import Foundation
import Testing
import TributaryDocuments
import TributaryFiles
import TributaryStore
import TributarySync
import TributaryTesting

struct DocumentDeletingTests {
  @Test func `a deleted document is gone with its logs, and others stay`() throws {
    try withDocuments { fixture in
      let (a, b) = (try fixture.device("a"), try fixture.device("b"))
      let document = try a.create(at: fixture.path("Trip.note"), options: fixture.options())
      let other = try a.create(at: fixture.path("Other.note"), options: fixture.options())
      try other.write("1", "stays")
      try other.synchronize()
      let there = try b.open(fixture.path("Trip.note"))
      try a.delete(fixture.path("Trip.note"))
      #expect(!fixture.exists(fixture.path("Trip.note")))
      #expect(!fixture.exists(document.store))
      #expect(
        !fixture.exists(fixture.container + "/tributary/" + document.metadata.contentName))
      #expect(try b.list().map(\.name) == ["Other"])
      #expect(!fixture.exists(there.store))
      #expect(try b.open(fixture.path("Other.note")).notes() == ["1=stays"])
      let error = try #require(throws: DocumentError.self) {
        try a.delete(fixture.path("Trip.note"))
      }
      #expect(error.code == .missing)
    }
  }

  @Test func `late logs and packages do not bring a document back`() throws {
    try withDocuments { fixture in
      let (a, b) = (try fixture.device("a"), try fixture.device("b"))
      let document = try a.create(at: fixture.path("Trip.note"), options: fixture.options())
      try document.write("1", "a")
      try document.synchronize()
      let logs = fixture.container + "/tributary/" + document.metadata.contentName
      let late = fixture.directory + "/late"
      try FileManager.default.copyItem(atPath: logs, toPath: late)
      try FileManager.default.copyItem(atPath: fixture.path("Trip.note"), toPath: late + "-package")
      try a.delete(fixture.path("Trip.note"))
      try FileManager.default.copyItem(atPath: late, toPath: logs)
      try FileManager.default.copyItem(
        atPath: late + "-package", toPath: fixture.path("Renamed.note"))
      let error = try #require(throws: DocumentError.self) {
        try b.open(fixture.path("Renamed.note"), options: fixture.options())
      }
      #expect(error.code == .deleted)
      #expect(!fixture.exists(logs))
      #expect(!fixture.exists(fixture.path("Renamed.note")))
      try FileManager.default.copyItem(atPath: late, toPath: logs)
      try FileManager.default.copyItem(
        atPath: late + "-package", toPath: fixture.path("Renamed.note"))
      #expect(try a.list().isEmpty)
      #expect(!fixture.exists(logs))
    }
  }

  @Test func `what only this device had written is kept when others delete the document`() throws {
    try withDocuments { fixture in
      let (a, b) = (try fixture.device("a"), try fixture.device("b"))
      _ = try a.create(at: fixture.path("Trip.note"), options: fixture.options())
      let there = try b.open(fixture.path("Trip.note"))
      try there.write("1", "only b has it")
      try a.delete(fixture.path("Trip.note"))
      var changes: [DocumentChange] = []
      #expect(try b.list(did: { changes.append($0) }) == [])
      #expect(!fixture.exists(there.store))
      let kept = try FileManager.default.contentsOfDirectory(
        atPath: fixture.directory + "/b/removed")
      #expect(kept == [there.metadata.contentName])
      // The list says what it has done, once.
      #expect(changes.map(\.path) == [fixture.path("Trip.note")])
      let place = "\(fixture.directory)/b/removed/\(there.metadata.contentName)/store.sqlite"
      #expect(changes.allSatisfy { $0.message.contains("is kept in \(place)") }, "\(changes)")
      #expect(try b.list(did: { Issue.record("\($0)") }) == [])
    }
  }

  @Test func `nothing but documents is deleted, whatever somebody puts into the container`() throws
  {
    try withDocuments { fixture in
      let a = try fixture.device("a")
      let document = try a.create(at: fixture.path("Trip.note"), options: fixture.options())
      let outside = fixture.directory + "/outside"
      try FileManager.default.createDirectory(
        atPath: outside + "/peers/x", withIntermediateDirectories: true)
      try FileManager.default.createSymbolicLink(
        atPath: fixture.container + "/tributary/linked", withDestinationPath: outside)
      try FileManager.default.createDirectory(
        atPath: fixture.container + "/tributary/photos/album", withIntermediateDirectories: true)
      for path in [
        "Documents/Trip.note", "tributary/photos", "deleted/tributary", "tributary/linked",
      ] {
        let statement = fixture.container + "/deleted/" + path
        try FileManager.default.createDirectory(
          atPath: statement, withIntermediateDirectories: true)
        try Data("{}".utf8).write(to: URL(filePath: statement + "/x.json"))
      }
      #expect(try a.list().map(\.name) == ["Trip"])
      #expect(fixture.exists(document.store))
      #expect(fixture.exists(fixture.container + "/tributary/photos/album"))
      // The package itself may have a link.
      try FileManager.default.createSymbolicLink(
        atPath: fixture.path("Trip.note") + "/link", withDestinationPath: outside)
      try a.delete(fixture.path("Trip.note"))
      #expect(fixture.exists(outside + "/peers/x"))
    }
  }

  @Test func `a document of this device alone is deleted without a trace`() throws {
    try withDocuments { fixture in
      let a = try fixture.device("a")
      let path = fixture.directory + "/Local.note"
      let document = try a.create(at: path, options: fixture.options())
      try a.delete(path)
      #expect(!fixture.exists(path))
      #expect(!fixture.exists(document.store))
      for name in ["documents", "local"] {
        #expect(
          try FileManager.default.contentsOfDirectory(atPath: "\(fixture.directory)/a/\(name)")
            .isEmpty)
      }
    }
  }

  /// Makes an ordinary store whose logs lie in the container of a fixture.
  private func attach(_ fixture: DocumentFixture, root: String, name: String) throws {
    var request = AttachRequest(
      store: "\(fixture.directory)/\(name).sqlite", container: fixture.container, contentName: name)
    request.contentRoot = root
    request.migrations = DocumentFixture.schema
    _ = try Engine.attach(request)
    let session = try SyncSession(store: request.store)
    defer { session.store.close() }
    try session.store.write { try $0.execute("INSERT INTO note VALUES ('1', 'a')") }
    #expect(try session.synchronize().failure == nil)
  }

  private func write(_ text: String, _ path: String) throws {
    try FileManager.default.createDirectory(
      atPath: URL(filePath: path).deletingLastPathComponent().path,
      withIntermediateDirectories: true)
    try Data(text.utf8).write(to: URL(filePath: path))
  }

  @Test func `no statement of deletion takes the logs of other stores away`() throws {
    try withDocuments { fixture in
      let a = try fixture.device("a")
      let places = [
        ("com.example.app", "Library"), ("tributary-key-value", "com.example.settings"),
        ("tributary", "Plain"), ("tributary-1", "First"), ("tributary-2x", "Second"),
      ]
      for (root, name) in places { try attach(fixture, root: root, name: name) }
      let before = places.map { DirectoryTree.paths("\(fixture.container)/\($0)/\($1)/peers") }
      for (root, name) in places {
        let deleted = "\(fixture.container)/deleted/\(root)/\(name)"
        try write("", deleted + "/empty.json")
        try write("{}", deleted + "/object.json")
        let other = root == "tributary" ? "Other" : name
        try write(
          """
          {"formatVersion":1,"contentName":"\(other)","contentURL":"\(root)","knowledge":{}}
          """, deleted + "/statement.json")
      }
      #expect(try a.list().isEmpty)
      #expect(
        places.map { DirectoryTree.paths("\(fixture.container)/\($0)/\($1)/peers") } == before)
    }
  }

  @Test func `a package that names the logs of another kind of store is damaged, and deletes none`()
    throws
  {
    try withDocuments { fixture in
      let a = try fixture.device("a")
      try attach(fixture, root: "tributary-key-value", name: "com.victim")
      let logs = fixture.container + "/tributary-key-value"
      let before = DirectoryTree.paths(logs)
      let plist = try PropertyListSerialization.data(
        fromPropertyList: [
          "ContentName": "com.victim", "ContentURL": "tributary-key-value", "FormatVersion": 1,
        ], format: .xml, options: 0)
      try FileManager.default.createDirectory(
        atPath: fixture.path("h.note"), withIntermediateDirectories: false)
      try plist.write(to: URL(filePath: fixture.path("h.note/DocumentMetadata.plist")))
      let error = try #require(throws: DocumentError.self) { try a.delete(fixture.path("h.note")) }
      #expect(error.code == .damaged)
      #expect(DirectoryTree.paths(logs) == before)
      #expect(try a.list().map(\.state) == [.damaged])
    }
  }

  @Test func `files whose names are not in UTF-8 are deleted with their document`() throws {
    try withDocuments { fixture in
      let (a, b) = (try fixture.device("a"), try fixture.device("b"))
      for path in [fixture.path("Trip.note"), fixture.directory + "/Local.note"] {
        let document = try a.create(at: path, options: fixture.options())
        DirectoryTree.makeInexactFile(in: path)
        DirectoryTree.makeInexactDirectory(in: path)
        try a.delete(path)
        #expect(!fixture.exists(path))
        #expect(!fixture.exists(document.store))
        #expect(
          !fixture.exists(fixture.container + "/tributary/" + document.metadata.contentName))
      }
      #expect(try b.list().isEmpty)
    }
  }

  /// The real file system, on which some things cannot be removed.
  private final class Stubborn: SteppingFileSystem {
    let base: any FileSystem = LocalFileSystem()

    func step(_ operation: FileOperation, _ path: String) throws(FileError) {
      guard operation == .remove, path.hasSuffix("/stubborn") else { return }
      throw FileError(operation: "unlink", path: path, code: 13)
    }
  }

  @Test func `what cannot be removed is named, and the rest of the document is gone`() throws {
    try withDocuments { fixture in
      _ = try fixture.device("a")
      let places = DataPlaces(
        containers: fixture.directory + "/shared", data: fixture.directory + "/a")
      let a = try Documents(
        containers: Containers(places: places),
        environment: StoreEnvironment(fileSystem: Stubborn()))
      for path in [fixture.path("Trip.note"), fixture.directory + "/Local.note"] {
        let document = try a.create(at: path, options: fixture.options())
        for name in ["a", "stubborn", "z"] { try write(name, path + "/inner/" + name) }
        let error = try #require(throws: DocumentError.self) { try a.delete(path) }
        #expect(error.code == .inaccessible)
        #expect(error.path == path + "/inner/stubborn")
        #expect(DirectoryTree.paths(path) == ["inner", "inner/stubborn"])
        #expect(!fixture.exists(document.store))
        #expect(
          !fixture.exists(fixture.container + "/tributary/" + document.metadata.contentName))
      }
    }
  }

  @Test func `what is kept of a deleted document is an ordinary database`() throws {
    try withDocuments { fixture in
      let (a, b) = (try fixture.device("a"), try fixture.device("b"))
      _ = try a.create(at: fixture.path("Trip.note"), options: fixture.options())
      let there = try b.open(fixture.path("Trip.note"))
      try there.write("1", "only b has it")
      try a.delete(fixture.path("Trip.note"))
      #expect(try b.list().isEmpty)
      let kept = "\(fixture.directory)/b/removed/\(there.metadata.contentName)/store.sqlite"
      #expect(try !LocalStore.isAttached(at: kept))
      let again = try b.create(at: fixture.path("Again.note"), contents: .database(kept))
      #expect(try again.notes() == ["1=only b has it"])
    }
  }
}
