import Foundation
import Glibc
import Testing
import TributaryDocuments
import TributaryTesting

/// The files that users put into a package.
struct DocumentAttachmentsTests {
  /// Names such as carriers and editors give to files that matter to nobody else.
  private static let names = [
    "a.tmp", "a.temp", "a.part", "a.partial", "a.download", ".a.swp", "a.lock", "a~", "~$a.docx",
    ".~a", ".nfs0001", ".fuse_hidden1", "old~/inner", "deep/er/a.tmp", "plain",
  ]

  private func attach(_ names: [String], to package: String) throws {
    for name in names {
      let path = package + "/" + name
      try FileManager.default.createDirectory(
        atPath: URL(filePath: path).deletingLastPathComponent().path,
        withIntermediateDirectories: true)
      try Data(name.utf8).write(to: URL(filePath: path))
    }
  }

  private func expect(_ names: [String], in package: String) throws {
    for name in names {
      #expect(
        FileManager.default.contents(atPath: package + "/" + name) == Data(name.utf8), "\(name)")
    }
  }

  @Test func `every file of a package goes along, whatever its name`() throws {
    try withDocuments { fixture in
      let a = try fixture.device("a")
      let local = fixture.directory + "/Local.note"
      _ = try a.create(at: local, options: fixture.options())
      try attach(Self.names, to: local)
      let before = DirectoryTree.paths(local)
      try a.move(local, to: fixture.path("Shared.note"))
      try expect(Self.names, in: fixture.path("Shared.note"))
      _ = try a.duplicate(fixture.path("Shared.note"), to: fixture.path("Copy.note"))
      try expect(Self.names, in: fixture.path("Copy.note"))
      try a.move(fixture.path("Shared.note"), to: local)
      try expect(Self.names, in: local)
      #expect(DirectoryTree.paths(local) == before)
    }
  }

  @Test func `unfinished files of the product stay behind`() throws {
    try withDocuments { fixture in
      let a = try fixture.device("a")
      _ = try a.create(at: fixture.path("Trip.note"), options: fixture.options())
      try attach([".tmp-0123456789abcdef", "kept"], to: fixture.path("Trip.note"))
      _ = try a.duplicate(fixture.path("Trip.note"), to: fixture.path("Copy.note"))
      #expect(
        DirectoryTree.paths(fixture.path("Copy.note")) == ["DocumentMetadata.plist", "kept"])
    }
  }

  enum Obstacle: CaseIterable {
    case pipe, link, inexact

    func make(in package: String) {
      switch self {
      case .pipe: mkfifo(package + "/inner/x", 0o600)
      case .link: symlink("/dev/null", package + "/inner/x")
      case .inexact: DirectoryTree.makeInexactFile(in: package + "/inner")
      }
    }
  }

  @Test(arguments: Obstacle.allCases)
  func `what cannot be copied is named before anything changes`(obstacle: Obstacle) throws {
    try withDocuments { fixture in
      let a = try fixture.device("a")
      let document = try a.create(at: fixture.path("Trip.note"), options: fixture.options())
      try document.write("1", "a")
      try document.synchronize()
      try attach(["inner/plain"], to: fixture.path("Trip.note"))
      obstacle.make(in: fixture.path("Trip.note"))
      let before = DirectoryTree.paths(fixture.directory)
      let moving = try #require(throws: DocumentError.self) {
        try a.move(fixture.path("Trip.note"), to: fixture.directory + "/Mine.note")
      }
      #expect(moving.code == .wouldLose)
      #expect(moving.path?.contains("/Trip.note/inner/x") == true)
      let copying = try #require(throws: DocumentError.self) {
        try a.duplicate(fixture.path("Trip.note"), to: fixture.path("Copy.note"))
      }
      #expect(copying.code == .wouldLose)
      #expect(DirectoryTree.paths(fixture.directory) == before)
      #expect(try a.open(fixture.path("Trip.note")).notes() == ["1=a"])
      // A renamed package keeps all of it.
      try a.move(fixture.path("Trip.note"), to: fixture.path("Journey.note"))
      #expect(try a.list().map(\.state) == [.normal])
    }
  }
}
