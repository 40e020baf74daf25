import Foundation
import Testing
import TributaryDocuments
import TributaryStore
import TributaryTesting

struct DocumentMovingTests {
  @Test func `a renamed document keeps its store, its attachments and its peers`() throws {
    try withDocuments { fixture in
      let (a, b) = (try fixture.device("a"), try fixture.device("b"))
      let document = try a.create(at: fixture.path("Trip.note"), options: fixture.options())
      try document.write("1", "a")
      try document.synchronize()
      _ = try b.open(fixture.path("Trip.note"))
      try Data("picture".utf8).write(to: URL(filePath: fixture.path("Trip.note/picture")))
      try FileManager.default.createDirectory(
        atPath: fixture.path("Folder"), withIntermediateDirectories: false)
      try a.move(fixture.path("Trip.note"), to: fixture.path("Folder/Journey.note"))
      #expect(!fixture.exists(fixture.path("Trip.note")))
      #expect(fixture.exists(fixture.path("Folder/Journey.note/picture")))
      #expect(try a.open(fixture.path("Folder/Journey.note")).store == document.store)
      #expect(try b.open(fixture.path("Folder/Journey.note")).notes() == ["1=a"])
      #expect(try b.list().map(\.name) == ["Journey"])
      // Only the letters of the name change.
      try a.move(fixture.path("Folder/Journey.note"), to: fixture.path("Folder/JOURNEY.note"))
      #expect(try a.list().map(\.name) == ["JOURNEY"])
      let error = try #require(throws: DocumentError.self) {
        try a.move(fixture.path("Trip.note"), to: fixture.path("x"))
      }
      #expect(error.code == .missing)
    }
  }

  @Test func `a local document moves into a container, and everyone has it`() throws {
    try withDocuments { fixture in
      let (a, b) = (try fixture.device("a"), try fixture.device("b"))
      let local = fixture.directory + "/Local.note"
      let document = try a.create(at: local, options: fixture.options())
      #expect(document.container == nil)
      try document.write("1", "a")
      try document.synchronize()
      try document.write("2", "not published")
      try Data("picture".utf8).write(to: URL(filePath: local + "/picture"))
      try a.move(local, to: fixture.path("Shared.note"))
      #expect(!fixture.exists(local))
      #expect(try a.open(fixture.path("Shared.note")).store == document.store)
      #expect(try b.open(fixture.path("Shared.note")).notes() == ["1=a", "2=not published"])
      #expect(fixture.exists(fixture.path("Shared.note/picture")))
      #expect(
        try FileManager.default.contentsOfDirectory(atPath: fixture.directory + "/a/local").isEmpty)
    }
  }

  @Test func `a local document that was moved by other means is shared too`() throws {
    try withDocuments { fixture in
      let (a, b) = (try fixture.device("a"), try fixture.device("b"))
      let local = fixture.directory + "/Local.note"
      let document = try a.create(at: local, options: fixture.options())
      try document.write("1", "a")
      try FileManager.default.moveItem(atPath: local, toPath: fixture.path("Shared.note"))
      let moved = try a.open(fixture.path("Shared.note"))
      #expect(moved.store == document.store)
      try moved.synchronize()
      #expect(try b.open(fixture.path("Shared.note")).notes() == ["1=a"])
    }
  }

  @Test func `a document that leaves the container is deleted for the others, and can come back`()
    throws
  {
    try withDocuments { fixture in
      let (a, b) = (try fixture.device("a"), try fixture.device("b"))
      let document = try a.create(at: fixture.path("Trip.note"), options: fixture.options())
      try document.write("1", "a")
      try document.synchronize()
      let other = try b.open(fixture.path("Trip.note"))
      try other.write("2", "b")
      try other.synchronize()
      let local = fixture.directory + "/Mine.note"
      try a.move(fixture.path("Trip.note"), to: local)
      let mine = try a.open(local)
      #expect(mine.store == document.store)
      #expect(try mine.notes() == ["1=a", "2=b"])
      #expect(try b.list().isEmpty)
      #expect(!fixture.exists(other.store))
      try mine.write("3", "alone")
      try a.move(local, to: fixture.path("Back.note"))
      #expect(try a.list().map(\.state) == [.normal])
      let back = try b.open(fixture.path("Back.note"))
      #expect(try back.notes() == ["1=a", "2=b", "3=alone"])
      try back.write("4", "b again")
      try back.synchronize()
      let again = try a.open(fixture.path("Back.note"))
      try again.synchronize()
      #expect(try again.notes() == ["1=a", "2=b", "3=alone", "4=b again"])
    }
  }

  @Test func `a duplicate goes its own way`() throws {
    try withDocuments { fixture in
      let (a, b) = (try fixture.device("a"), try fixture.device("b"))
      let document = try a.create(at: fixture.path("Trip.note"), options: fixture.options())
      try document.write("1", "a")
      try Data("picture".utf8).write(to: URL(filePath: fixture.path("Trip.note/picture")))
      let copy = try a.duplicate(fixture.path("Trip.note"), to: fixture.path("Copy.note"))
      #expect(copy.metadata.contentName != document.metadata.contentName)
      try copy.write("2", "copy")
      try document.write("3", "original")
      try copy.synchronize()
      try document.synchronize()
      #expect(try b.open(fixture.path("Copy.note")).notes() == ["1=a", "2=copy"])
      #expect(try b.open(fixture.path("Trip.note")).notes() == ["1=a", "3=original"])
      #expect(fixture.exists(fixture.path("Copy.note/picture")))
      // The application's models fit the copy, too.
      #expect(
        try a.open(fixture.path("Copy.note"), options: fixture.options()).notes()
          == ["1=a", "2=copy"])
      #expect(throws: DocumentError.self) {
        try a.duplicate(fixture.path("Trip.note"), to: fixture.path("Copy.note"))
      }
    }
  }

  @Test func `a document that two devices renamed apart has two packages until one is deleted`()
    throws
  {
    try withDocuments { fixture in
      let (a, b) = (try fixture.device("a"), try fixture.device("b"))
      let document = try a.create(at: fixture.path("Trip.note"), options: fixture.options())
      try document.write("1", "a")
      try document.synchronize()
      // What a carrier makes of it.
      try FileManager.default.copyItem(
        atPath: fixture.path("Trip.note"), toPath: fixture.path("Other.note"))
      #expect(try b.list().map(\.state) == [.doubled, .doubled])
      #expect(
        try b.open(fixture.path("Other.note")).store == b.open(fixture.path("Trip.note")).store)
      try b.delete(fixture.path("Trip.note"))
      #expect(try a.list().map(\.state) == [.normal])
      #expect(try a.open(fixture.path("Other.note")).notes() == ["1=a"])
    }
  }

  @Test func `a store that a failed move has left at other logs goes back to its own`() throws {
    try withDocuments { fixture in
      let a = try fixture.device("a")
      let document = try a.create(at: fixture.path("Trip.note"), options: fixture.options())
      try document.write("1", "a")
      try document.synchronize()
      let elsewhere = fixture.directory + "/elsewhere"
      try FileManager.default.createDirectory(
        atPath: elsewhere, withIntermediateDirectories: false)
      let store = try LocalStore(path: document.store, milliseconds: { 0 })
      let home = try store.identity().container
      try store.move(to: elsewhere, contentRoot: store.identity().contentRoot)
      store.close()
      let again = try a.open(fixture.path("Trip.note"))
      let returned = try LocalStore(path: again.store, milliseconds: { 0 })
      #expect(try returned.identity().container == home)
      returned.close()
      try again.write("2", "b")
      try again.synchronize()
      #expect(try fixture.device("b").open(fixture.path("Trip.note")).notes() == ["1=a", "2=b"])
    }
  }
}
