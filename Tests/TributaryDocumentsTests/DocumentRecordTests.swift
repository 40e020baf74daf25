import Foundation
import Testing
import TributaryContainer
import TributaryDocuments
import TributaryFiles
import TributarySQLite
import TributaryStore
import TributarySync
import TributaryTesting

/// What a device keeps of its documents, where that was lost, or is of several documents of one content name.
struct DocumentRecordTests {
  private func record(of document: OpenDocument) -> String {
    document.store.parentDirectory.appending(component: "document.json")
  }

  @Test(arguments: ["", "{}", "[[", nil])
  func `a store whose record is lost stays, with what it has not published`(contents: String?)
    throws
  {
    try withDocuments { fixture in
      let a = try fixture.device("a")
      let document = try a.create(at: fixture.path("Trip.note"), options: fixture.options())
      try document.write("1", "unpublished")
      try FileManager.default.removeItem(atPath: record(of: document))
      if let contents { try Data(contents.utf8).write(to: URL(filePath: record(of: document))) }
      for _ in 1...2 {
        let again = try a.open(fixture.path("Trip.note"))
        #expect(again.store == document.store)
        #expect(try again.notes() == ["1=unpublished"])
      }
      #expect(try a.list().map(\.name) == ["Trip"])
    }
  }

  @Test func `a record that cannot be read is named, and everything stays`() throws {
    try withDocuments { fixture in
      let a = try fixture.device("a")
      let document = try a.create(at: fixture.path("Trip.note"), options: fixture.options())
      let other = try a.create(at: fixture.path("Other.note"), options: fixture.options())
      try document.write("1", "unpublished")
      let record = record(of: document)
      try FileManager.default.moveItem(atPath: record, toPath: record + ".away")
      try FileManager.default.createDirectory(
        atPath: record, withIntermediateDirectories: false)
      let error = try #require(throws: FileError.self) { try a.open(fixture.path("Trip.note")) }
      #expect(error.path == record)
      #expect(try a.open(fixture.path("Other.note")).store == other.store)
      try FileManager.default.removeItem(atPath: record)
      try FileManager.default.moveItem(atPath: record + ".away", toPath: record)
      #expect(try a.open(fixture.path("Trip.note")).notes() == ["1=unpublished"])
    }
  }

  @Test func `a store that says nothing of itself, without a record, is kept beside the new one`()
    throws
  {
    try withDocuments { fixture in
      let a = try fixture.device("a")
      let document = try a.create(at: fixture.path("Trip.note"), options: fixture.options())
      try document.write("1", "published")
      try document.synchronize()
      _ = try Engine.detach(store: document.store, removeLogs: false)
      let database = try Connection(path: document.store, mode: .readWrite)
      try database.execute("INSERT INTO note VALUES ('2', 'of an ordinary database')")
      database.close()
      try FileManager.default.removeItem(atPath: record(of: document))
      let again = try a.open(fixture.path("Trip.note"))
      #expect(again.store != document.store)
      #expect(try again.notes() == ["1=published"])
      let kept = try Connection(path: document.store, mode: .readWrite)
      defer { kept.close() }
      #expect(try kept.integer("SELECT count(*) FROM note") == 2)
    }
  }

  @Test func `a detached store stays when another device deletes the document`() throws {
    try withDocuments { fixture in
      let (a, b) = (try fixture.device("a"), try fixture.device("b"))
      _ = try a.create(at: fixture.path("Trip.note"), options: fixture.options())
      let there = try b.open(fixture.path("Trip.note"))
      _ = try Engine.detach(store: there.store, removeLogs: false)
      let database = try Connection(path: there.store, mode: .readWrite)
      try database.execute("INSERT INTO note VALUES ('1', 'of an ordinary database')")
      database.close()
      try a.delete(fixture.path("Trip.note"))
      #expect(try b.list() == [])
      let kept = try Connection(
        path: "\(fixture.directory)/b/removed/\(there.metadata.contentName)/store.sqlite",
        mode: .readWrite)
      defer { kept.close() }
      #expect(try kept.integer("SELECT count(*) FROM note") == 1)
    }
  }

  @Test func `what was put aside by a rebuilding stays when another device deletes the document`()
    throws
  {
    try withDocuments { fixture in
      let (a, b) = (try fixture.device("a"), try fixture.device("b"))
      _ = try a.create(at: fixture.path("Trip.note"), options: fixture.options())
      let there = try b.open(fixture.path("Trip.note"))
      let aside = there.store + "-before-rebuilding"
      try Data("what can be read of it".utf8).write(to: URL(filePath: aside))
      try a.delete(fixture.path("Trip.note"))
      #expect(try b.list() == [])
      let kept = "\(fixture.directory)/b/removed/\(there.metadata.contentName)"
      #expect(fixture.exists("\(kept)/\(aside.lastPathComponent)"))
    }
  }

  @Test func `one that has left a container and come back is opened from its new logs`() throws {
    try withDocuments { fixture in
      let (a, b) = (try fixture.device("a"), try fixture.device("b"))
      let path = fixture.path("Trip.note")
      let document = try a.create(at: path, options: fixture.options())
      try document.write("1", "a")
      try document.synchronize()
      let former = try b.open(path)
      let logs = fixture.container + "/tributary/" + document.metadata.contentName
      let late = fixture.directory + "/late"
      try FileManager.default.copyItem(atPath: logs, toPath: late)
      let outside = fixture.directory + "/Trip.note"
      try a.move(path, to: outside)
      try a.move(outside, to: path)
      // The carrier removes the old logs after it has brought the new ones.
      try FileManager.default.copyItem(atPath: late, toPath: logs)
      let again = try b.open(path)
      #expect(again.store != former.store)
      try again.write("2", "b")
      #expect(try b.list().map(\.name) == ["Trip"])
      #expect(!fixture.exists(former.store))
      // The other store of the content name is found although the first one is gone.
      #expect(try b.open(path).store == again.store)
      #expect(try b.open(path).notes() == ["1=a", "2=b"])
      try again.synchronize()
      let home = try a.open(path)
      try home.synchronize()
      #expect(try home.notes() == ["1=a", "2=b"])
    }
  }

  @Test func `the store of a document that was deleted is not taken for one of its successor`()
    throws
  {
    try withDocuments { fixture in
      let (a, b) = (try fixture.device("a"), try fixture.device("b"))
      let path = fixture.path("Trip.note")
      _ = try a.create(at: path, options: fixture.options())
      let former = try b.open(path)
      let outside = fixture.directory + "/Trip.note"
      try a.move(path, to: outside)
      try a.move(outside, to: path)
      let again = try b.open(path)
      #expect(again.store != former.store)
      try again.write("2", "b")
      try again.synchronize()
      let home = try a.open(path)
      try home.synchronize()
      #expect(try home.notes() == ["2=b"])
    }
  }

  @Test func `what cannot be removed in one container keeps no other document from being made`()
    throws
  {
    try withDocuments { fixture in
      let a = try fixture.device("a")
      let document = try a.create(at: fixture.path("Trip.note"), options: fixture.options())
      // A killed attempt has left a store, and somebody else what cannot be removed.
      let logs = fixture.container + "/tributary/" + document.metadata.contentName
      try FileManager.default.removeItem(atPath: fixture.path("Trip.note"))
      try FileManager.default.removeItem(atPath: logs)
      var text = try String(contentsOfFile: record(of: document), encoding: .utf8)
      text = text.replacing(#""isBeingMade":false"#, with: #""isBeingMade":true"#)
      // No file can be removed below a file.
      try Data().write(to: URL(filePath: fixture.directory + "/file"))
      text = text.replacing(
        #""container":"\#(fixture.container)""#,
        with: #""container":"\#(fixture.directory)/file""#)
      try Data(text.utf8).write(to: URL(filePath: record(of: document)))
      let other = try a.create(at: fixture.path("Other.note"), options: fixture.options())
      #expect(fixture.exists(other.store))
    }
  }
}
