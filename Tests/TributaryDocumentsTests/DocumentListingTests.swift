import Foundation
import Synchronization
import Testing
import TributaryDocuments
import TributaryFiles
import TributaryStore
import TributarySync
import TributaryTesting

/// What a list says when not everything can be read.
struct DocumentListingTests {
  /// The real file system, where some directories cannot be listed.
  private final class Locked: SteppingFileSystem {
    let base: any FileSystem = LocalFileSystem()

    func step(_ operation: FileOperation, _ path: String) throws(FileError) {
      guard operation == .list, path.contains("/locked") else { return }
      throw FileError(operation: "opendir", path: path, code: 13)
    }
  }

  @Test func `a directory that cannot be read is reported, and the others are listed`() throws {
    try withDocuments { fixture in
      _ = try fixture.device("a")
      for name in ["locked", "open"] {
        try FileManager.default.createDirectory(
          atPath: fixture.path(name), withIntermediateDirectories: false)
      }
      let places = DataPlaces(
        containers: fixture.directory + "/shared", data: fixture.directory + "/a")
      let a = try Documents(
        containers: Containers(places: places), environment: StoreEnvironment(fileSystem: Locked()))
      for name in ["A.note", "open/B.note"] {
        _ = try a.create(at: fixture.path(name), options: fixture.options())
      }
      for directory in [nil, fixture.documents] {
        var troubles: [String?] = []
        let list = try a.list(directory) { troubles.append(($0 as? DocumentError)?.path) }
        #expect(list.map(\.name) == ["A", "B"])
        #expect(list.map(\.state) == [.normal, .normal])
        #expect(Set(troubles) == [fixture.path("locked")])
      }
      #expect(throws: DocumentError.self) { try a.list(fixture.path("locked")) }
      // The others can be deleted, too.
      try a.delete(fixture.path("A.note"))
      #expect(try a.list().map(\.name) == ["B"])
    }
  }

  @Test func `a damaged store is one state in the list, and is found to be rebuilt`() throws {
    try withDocuments { fixture in
      let a = try fixture.device("a")
      let document = try a.create(at: fixture.path("A.note"), options: fixture.options())
      try document.write("1", "a")
      try document.synchronize()
      _ = try a.create(at: fixture.path("B.note"), options: fixture.options())
      try Data(String(repeating: "damaged ", count: 1000).utf8)
        .write(to: URL(filePath: document.store))
      let list = try a.list { Issue.record("\($0)") }
      #expect(list.map(\.state) == [.damaged, .normal])
      #expect(list.map(\.isHere) == [true, true])
      let error = try #require(throws: DocumentError.self) {
        try a.store(of: fixture.path("A.note"))
      }
      #expect(error.code == .damaged)
      #expect(error.remedy.contains("tributary rebuild \(fixture.path("A.note"))"))
      #expect(try a.store(of: fixture.path("A.note"), asItIs: true) == document.store)
    }
  }

  @Test func `a store is found by its package while the container is disabled or away`() throws {
    try withDocuments { fixture in
      let a = try fixture.device("a")
      let path = fixture.path("A.note")
      let document = try a.create(at: path, options: fixture.options())
      try a.containers.disable(DocumentFixture.identifier)
      #expect(try a.store(of: path) == document.store)
      let missing = try #require(throws: DocumentError.self) {
        try a.store(of: fixture.path("B.note"))
      }
      #expect(missing.code == .unavailable)
      try a.containers.enable(DocumentFixture.identifier)
      let away = fixture.directory + "/away"
      try FileManager.default.moveItem(atPath: fixture.container, toPath: away)
      #expect(try a.store(of: path) == document.store)
      #expect(try a.store(of: fixture.directory + "/other.sqlite") == nil)
      let gone = try #require(throws: DocumentError.self) {
        try a.store(of: fixture.path("B.note"))
      }
      #expect(gone.code == .unavailable)
      try FileManager.default.moveItem(atPath: away, toPath: fixture.container)
      let unknown = try #require(throws: DocumentError.self) {
        try a.store(of: fixture.path("B.note"))
      }
      #expect(unknown.code == .missing)
      #expect(try a.store(of: fixture.path("B.note"), mayBeNew: true) == nil)
      try fixture.device("b").delete(path)
      let deleted = try #require(throws: DocumentError.self) { try a.store(of: path) }
      #expect(deleted.code == .deleted)
      #expect(!fixture.exists(document.store))
    }
  }
}
