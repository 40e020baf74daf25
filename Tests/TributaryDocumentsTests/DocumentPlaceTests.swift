import Foundation
import Testing
import TributaryDocuments
import TributaryTesting

/// Where documents may be made.
struct DocumentPlaceTests {
  private func refusal(
    _ code: DocumentError.Code, _ fixture: DocumentFixture, _ path: String,
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let a = try fixture.device("a")
    let source = fixture.path("Source.note")
    if !fixture.exists(source) { _ = try a.create(at: source, options: fixture.options()) }
    let before = DirectoryTree.paths(fixture.directory)
    for attempt in [
      { _ = try a.create(at: path, options: fixture.options()) },
      { _ = try a.duplicate(source, to: path) },
      { try a.move(source, to: path) },
    ] {
      let error = try #require(throws: DocumentError.self, sourceLocation: sourceLocation) {
        try attempt()
      }
      #expect(error.code == code, "\(error)", sourceLocation: sourceLocation)
      #expect(!error.remedy.isEmpty, sourceLocation: sourceLocation)
    }
    #expect(DirectoryTree.paths(fixture.directory) == before, sourceLocation: sourceLocation)
  }

  private func makeDirectory(_ path: String) throws {
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
  }

  @Test func `no document lies in another one, nor in itself`() throws {
    try withDocuments { fixture in
      let a = try fixture.device("a")
      _ = try a.create(at: fixture.path("Trip.note"), options: fixture.options())
      try makeDirectory(fixture.path("Trip.note/pictures"))
      try refusal(.invalidName, fixture, fixture.path("Trip.note/Z.note"))
      try refusal(.invalidName, fixture, fixture.path("Trip.note/pictures/Z.note"))
      try refusal(.invalidName, fixture, fixture.path("Source.note/Z.note"))
      let local = fixture.directory + "/Local.note"
      _ = try a.create(at: local, options: fixture.options())
      try refusal(.invalidName, fixture, local + "/Z.note")
    }
  }

  @Test func `a document is made only where documents are looked for`() throws {
    try withDocuments { fixture in
      _ = try fixture.device("a")
      try makeDirectory(fixture.path(".hid"))
      try refusal(.invalidName, fixture, fixture.container + "/X.note")
      try refusal(.invalidName, fixture, fixture.container + "/tributary/X.note")
      try refusal(.invalidName, fixture, fixture.directory + "/shared/X.note")
      try refusal(.invalidName, fixture, fixture.path(".hid/x.note"))
      try refusal(.invalidName, fixture, fixture.path(".x.note"))
    }
  }

  @Test func `names that some carriers lose are refused on the way to the document, too`() throws {
    try withDocuments { fixture in
      _ = try fixture.device("a")
      for name in ["aux", "a:b", "end.", "old~", "x.tmp"] {
        try makeDirectory(fixture.path(name + "/inner"))
        try refusal(.invalidName, fixture, fixture.path(name + "/inner/x.note"))
      }
      try refusal(.invalidName, fixture, fixture.path("DocumentMetadata.plist"))
      try refusal(.invalidName, fixture, fixture.path("documentmetadata.PLIST"))
      try refusal(
        .invalidName, fixture,
        fixture.path("DocumentMetadata.sync-conflict-20260101-120000-ABCDEFG.plist"))
    }
  }

  @Test func `the levels of directories that an application allows are kept`() throws {
    try withDocuments { fixture in
      let a = try fixture.device("a")
      let info = fixture.directory + "/Info.plist"
      try PropertyListSerialization.data(
        fromPropertyList: [
          PublicContainer.key: [
            DocumentFixture.identifier.text: ["NSUbiquitousContainerSupportedFolderLevels": "One"]
          ]
        ], format: .xml, options: 0
      ).write(to: URL(filePath: info))
      var container = try #require(try PublicContainer.all(inInfo: info).first)
      try a.containers.publish([container])
      try makeDirectory(fixture.path("one/two"))
      _ = try a.create(at: fixture.path("one/x.note"), options: fixture.options())
      try refusal(.publicContainers, fixture, fixture.path("one/two/x.note"))
      container.supportedFolderLevels = .any
      try a.containers.publish([container])
      _ = try a.create(at: fixture.path("one/two/x.note"), options: fixture.options())
    }
  }
}
