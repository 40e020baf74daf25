import Foundation
import Testing
import TributaryDocuments
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
      #expect(try b.list().isEmpty)
      #expect(!fixture.exists(there.store))
      let kept = try FileManager.default.contentsOfDirectory(
        atPath: fixture.directory + "/b/removed")
      #expect(kept == [there.metadata.contentName])
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
}
