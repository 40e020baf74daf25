import Foundation
import Testing
import TributaryDocuments
import TributaryTesting

/// What carriers do with two documents that were made at one path.
struct DocumentPartingTests {
  /// Makes two documents of one name, each on a device that does not know of the other, and carries all to `a`.
  ///
  /// - Returns: the metadata of the second one, which nothing has carried yet.
  private func withTwo(
    _ body: (DocumentFixture, Documents, Documents, _ second: String) throws -> Void
  ) throws {
    try withDocuments { fixture in
      let (a, b) = (try fixture.device("a"), try fixture.device("b"))
      let first = try a.create(at: fixture.path("Trip.note"), options: fixture.options())
      try first.write("1", "first")
      try first.synchronize()
      let aside = fixture.directory + "/aside"
      try FileManager.default.moveItem(atPath: fixture.path("Trip.note"), toPath: aside)
      let second = try b.create(at: fixture.path("Trip.note"), options: fixture.options())
      try second.write("2", "second")
      try second.synchronize()
      let metadata = fixture.directory + "/second.plist"
      let file = "/DocumentMetadata.plist"
      try FileManager.default.moveItem(
        atPath: fixture.path("Trip.note") + file, toPath: metadata)
      try FileManager.default.moveItem(
        atPath: aside + file, toPath: fixture.path("Trip.note") + file)
      try body(fixture, a, b, metadata)
    }
  }

  private func notes(_ documents: Documents) throws -> [[String]] {
    try documents.list().map { try documents.open($0.path).notes() }.sorted { $0[0] < $1[0] }
  }

  @Test(arguments: [
    "DocumentMetadata.sync-conflict-20260101-120000-ABCDEFG.plist",
    "DocumentMetadata (1).plist", "DocumentMetadata (conflicted copy 2026-01-01).plist",
  ])
  func `the document of a conflict copy gets a package of its own, the same on every device`(
    name: String
  ) throws {
    try withTwo { fixture, a, b, second in
      let copy = fixture.path("Trip.note") + "/" + name
      try FileManager.default.copyItem(atPath: second, toPath: copy)
      #expect(try notes(a) == [["1=first"], ["2=second"]])
      #expect(!fixture.exists(copy))
      let paths = try a.list().map(\.path)
      // It arrives once more.
      try FileManager.default.copyItem(atPath: second, toPath: copy)
      #expect(try b.list().map(\.path) == paths)
      #expect(try notes(b) == [["1=first"], ["2=second"]])
    }
  }

  @Test func `deleting the one leaves the other`() throws {
    try withTwo { fixture, a, b, second in
      try FileManager.default.copyItem(
        atPath: second, toPath: fixture.path("Trip.note") + "/DocumentMetadata (1).plist")
      try a.delete(fixture.path("Trip.note"))
      #expect(try notes(b) == [["2=second"]])
      #expect(try notes(a) == [["2=second"]])
    }
  }

  @Test func `a conflict copy whose package others have deleted is a document still`() throws {
    try withTwo { fixture, a, b, second in
      try a.delete(fixture.path("Trip.note"))
      try FileManager.default.createDirectory(
        atPath: fixture.path("Trip.note"), withIntermediateDirectories: false)
      try FileManager.default.copyItem(
        atPath: second, toPath: fixture.path("Trip.note") + "/DocumentMetadata (1).plist")
      #expect(try notes(a) == [["2=second"]])
      #expect(!fixture.exists(fixture.path("Trip.note")))
      #expect(try notes(b) == [["2=second"]])
    }
  }

  @Test func `a document whose metadata was overwritten comes back from a device that has it`()
    throws
  {
    try withTwo { fixture, a, b, _ in
      #expect(try notes(a) == [["1=first"]])
      #expect(try notes(b) == [["1=first"], ["2=second"]])
      #expect(try notes(a) == [["1=first"], ["2=second"]])
      // Once its own package turns up, that of the same name goes.
      let list = try b.list()
      let found = try #require(list.first { $0.path != fixture.path("Trip.note") })
      try FileManager.default.copyItem(atPath: found.path, toPath: fixture.path("Other.note"))
      #expect(
        try a.list().map(\.path) == [fixture.path("Other.note"), fixture.path("Trip.note")])
    }
  }

  @Test func `a package that a device had made comes back if another device has removed it`() throws
  {
    try withTwo { fixture, a, b, _ in
      _ = try a.list()
      let made = try #require(try b.list().map(\.path).first { $0 != fixture.path("Trip.note") })
      // It took the package for one too many: there was another one, which has gone since.
      try FileManager.default.removeItem(atPath: made)
      #expect(try notes(b) == [["1=first"], ["2=second"]])
      #expect(try b.list().map(\.path).contains(made))
      // Where it is under another name, that is its package.
      try FileManager.default.moveItem(atPath: made, toPath: fixture.path("Other.note"))
      #expect(
        try b.list().map(\.path) == [fixture.path("Other.note"), fixture.path("Trip.note")])
      try b.delete(fixture.path("Other.note"))
      #expect(try notes(b) == [["1=first"]])
    }
  }
}
