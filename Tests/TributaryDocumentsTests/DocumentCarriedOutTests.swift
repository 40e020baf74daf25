import Foundation
import Testing
import TributaryDocuments
import TributarySync
import TributaryTesting

/// Deleting packages that somebody has moved or copied by hand, where the logs or another package stay.
struct DocumentCarriedOutTests {
  /// Lends a document that device `a` has made, and of which `b` has moved the package out of the container.
  private func withCarriedOut(
    _ body: (DocumentFixture, _ a: Documents, _ b: Documents, OpenDocument) throws -> Void
  ) throws {
    try withDocuments { fixture in
      let (a, b) = (try fixture.device("a"), try fixture.device("b"))
      let document = try a.create(at: fixture.path("Trip.note"), options: fixture.options())
      try document.write("1", "a")
      try document.synchronize()
      _ = try b.open(document.package)
      let outside = fixture.directory + "/Out.note"
      try FileManager.default.moveItem(atPath: document.package, toPath: outside)
      let there = try b.open(outside)
      try there.write("2", "only b has it")
      try body(fixture, a, b, there)
    }
  }

  @Test func `what was written in a package outside of its container is published before it goes`()
    throws
  {
    try withCarriedOut { fixture, a, b, document in
      try b.delete(document.package)
      #expect(!fixture.exists(document.package))
      #expect(!fixture.exists(document.store))
      try a.restore(fixture.path("Trip.note"), contentName: document.metadata.contentName)
      let kept = try a.open(fixture.path("Trip.note"))
      try kept.synchronize()
      #expect(try kept.notes() == ["1=a", "2=only b has it"])
    }
  }

  @Test func `a package outside of its container stays while nothing can be published`() throws {
    try withCarriedOut { fixture, _, b, document in
      let away = fixture.directory + "/away"
      try FileManager.default.moveItem(atPath: fixture.container, toPath: away)
      let before = DirectoryTree.paths(fixture.directory)
      let error = try #require(throws: DocumentError.self) { try b.delete(document.package) }
      #expect(error.code == .unpublished)
      #expect(error.path == document.package)
      #expect(error.message.hasPrefix("1 of its transactions is not published"))
      #expect(
        error.remedy.contains("tributary detach \(document.package) --leave-unpublished"))
      #expect(DirectoryTree.paths(fixture.directory) == before)
      #expect(try b.open(document.package).notes() == ["1=a", "2=only b has it"])
      // The remedy names this for a container that will not come back.
      try Engine.detach(store: document.store, removeLogs: false, leavingUnpublished: true)
      try b.delete(document.package)
      #expect(!fixture.exists(document.package))
      #expect(!fixture.exists(document.store))
    }
  }

  @Test func `what others lack of a document that they have deleted is kept`()
    throws
  {
    try withCarriedOut { fixture, a, b, document in
      try a.restore(fixture.path("Trip.note"), contentName: document.metadata.contentName)
      try a.delete(fixture.path("Trip.note"))
      try b.delete(document.package)
      #expect(!fixture.exists(document.package))
      #expect(!fixture.exists(document.store))
      let kept = "\(fixture.directory)/b/removed/\(document.metadata.contentName)/store.sqlite"
      let again = try b.create(at: fixture.path("Again.note"), contents: .database(kept))
      #expect(try again.notes() == ["1=a", "2=only b has it"])
    }
  }

  @Test(arguments: [true, false])
  func `a package that was copied goes alone, and the first one keeps its store`(
    isShared: Bool
  ) throws {
    try withDocuments { fixture in
      let a = try fixture.device("a")
      let path = isShared ? fixture.path("Trip.note") : fixture.directory + "/Trip.note"
      let document = try a.create(at: path, options: fixture.options())
      try document.write("1", "a")
      let copy = fixture.directory + "/Copy.note"
      try FileManager.default.copyItem(atPath: path, toPath: copy)
      try a.delete(copy)
      #expect(!fixture.exists(copy))
      #expect(try a.open(path).notes() == ["1=a"])
      try a.delete(path)
      #expect(!fixture.exists(document.store))
    }
  }

  @Test func `of copied packages each goes alone, and the last one takes the store along`()
    throws
  {
    try withDocuments { fixture in
      let a = try fixture.device("a")
      let paths = ["First", "Second", "Third"].map { "\(fixture.directory)/\($0).note" }
      // Opened last is the one that goes first, or another one.
      for order in [[2, 1, 0], [0, 1, 2], [1, 2, 0]] {
        let document = try a.create(at: paths[0], options: fixture.options())
        try document.write("1", "a")
        for path in paths.dropFirst() {
          try FileManager.default.copyItem(atPath: paths[0], toPath: path)
          #expect(try a.open(path, options: fixture.options()).store == document.store)
        }
        for index in order {
          #expect(try a.open(paths[index]).notes() == ["1=a"])
          try a.delete(paths[index])
          #expect(!fixture.exists(paths[index]))
        }
        #expect(!fixture.exists(document.store))
        #expect(!paths.contains { fixture.exists($0) })
      }
    }
  }
}
