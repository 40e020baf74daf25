import Foundation
import Testing
import TributaryDocuments
import TributarySync
import TributaryTesting

/// What a device says of documents that it has never opened, and of which only the logs are there.
struct DocumentUnopenedTests {
  /// Lends a container with a document of device `a` whose package is gone, and another one that is whole.
  private func withLostPackage(
    _ body: (DocumentFixture, _ b: Documents, OpenDocument) throws -> Void
  ) throws {
    try withDocuments { fixture in
      let (a, b) = (try fixture.device("a"), try fixture.device("b"))
      let document = try a.create(at: fixture.path("Trip.note"), options: fixture.options())
      try document.write("1", "a")
      try document.synchronize()
      _ = try a.create(at: fixture.path("Other.note"), options: fixture.options())
      try FileManager.default.removeItem(atPath: document.package)
      try body(fixture, b, document)
    }
  }

  @Test func `a device that has never opened a document is told of it by its logs, and opens it`()
    throws
  {
    try withLostPackage { fixture, b, document in
      let name = document.metadata.contentName
      let logs = "\(fixture.container)/tributary/\(name)"
      let command = "tributary document open \(document.package) --content-name \(name)"
      var awaited: [DocumentError] = []
      let list = try b.list(
        skip: { Issue.record("\($0)") }, awaited: { awaited.append($0) })
      #expect(list.map(\.name) == ["Other"])
      #expect(awaited.map(\.path) == [logs])
      // The ending is that of the other documents.
      #expect(awaited.allSatisfy { $0.remedy.contains(command) }, "\(awaited)")
      let found = b.diagnose(directory: fixture.container)
      #expect(found.map(\.code) == [.packageMissing])
      #expect(found.map(\.severity) == [.note])
      #expect(found.map(\.path) == [logs])
      #expect(found.map(\.remedy) == awaited.map(\.remedy))
      let refused = try #require(throws: DocumentError.self) { try b.open(document.package) }
      #expect(refused.code == .missing)
      #expect(
        refused.remedy
          == "wait for the carrier to bring the package; otherwise run `\(command)` to make "
          + "the package of the document again")
      let used = try #require(throws: DocumentError.self) { try b.store(of: document.package) }
      #expect(used.code == .missing && used.remedy == refused.remedy)
      // What the remedy says.
      try b.restore(document.package, contentName: name)
      #expect(try b.open(document.package).notes() == ["1=a"])
      #expect(
        try b.list(skip: { Issue.record("\($0)") }, awaited: { Issue.record("\($0)") })
          .map(\.name) == ["Other", "Trip"])
      #expect(b.diagnose(directory: fixture.container) == [])
    }
  }

  @Test func `logs of stores that are no documents, and of deleted ones, are awaited by nobody`()
    throws
  {
    try withLostPackage { fixture, b, document in
      let name = document.metadata.contentName
      var request = AttachRequest(
        store: fixture.directory + "/plain.sqlite", container: fixture.container,
        contentName: "Library")
      request.migrations = DocumentFixture.schema
      _ = try Engine.attach(request)
      try FileManager.default.createDirectory(
        atPath: "\(fixture.container)/tributary/Empty-0123456789abcdef/peers",
        withIntermediateDirectories: true)
      try b.restore(document.package, contentName: name)
      try b.delete(document.package)
      let c = try fixture.device("c")
      #expect(
        try c.list(skip: { Issue.record("\($0)") }, awaited: { Issue.record("\($0)") })
          .map(\.name) == ["Other"])
      #expect(c.diagnose(directory: fixture.container) == [])
    }
  }

  @Test func `a path is proposed at which no other document is`() throws {
    try withLostPackage { fixture, b, document in
      _ = try b.create(at: document.package, options: fixture.options())
      let c = try fixture.device("c")
      var awaited: [DocumentError] = []
      _ = try c.list(awaited: { awaited.append($0) })
      let name = document.metadata.contentName
      let path = fixture.path(name + ".note")
      #expect(
        awaited.map { $0.remedy.contains("document open \(path) --content-name \(name)") } == [true]
      )
      try c.restore(path, contentName: name)
      #expect(try c.open(path).notes() == ["1=a"])
    }
  }

  @Test func `logs of which another device has made a document stay when their maker comes back`()
    throws
  {
    try withDocuments { fixture in
      let (a, b) = (try fixture.device("a"), try fixture.device("b"))
      let document = try a.create(at: fixture.path("Trip.note"), options: fixture.options())
      let name = document.metadata.contentName
      // As a process leaves it that is killed before there is a package.
      try FileManager.default.removeItem(atPath: document.package)
      let file = URL(filePath: "\(fixture.directory)/a/documents/\(name)/document.json")
      let record = try String(contentsOf: file, encoding: .utf8)
      try #require(record.contains("\"isBeingMade\":false"))
      try record.replacingOccurrences(of: "\"isBeingMade\":false", with: "\"isBeingMade\":true")
        .write(to: file, atomically: true, encoding: .utf8)
      let path = fixture.path("Found.note")
      try b.restore(path, contentName: name)
      try b.open(path).write("1", "b")
      _ = try a.create(at: fixture.path("Other.note"), options: fixture.options())
      #expect(try a.open(path).store == document.store)
      try b.open(path).synchronize()
      try a.open(path).synchronize()
      #expect(try a.open(path).notes() == ["1=b"])
    }
  }
}
