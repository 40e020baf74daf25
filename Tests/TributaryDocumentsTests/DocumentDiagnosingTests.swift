import Foundation
import Testing
import TributaryDocuments
import TributaryFiles
import TributarySync
import TributaryTesting

/// What is said of packages that are damaged or gone, and how such a document opens again.
struct DocumentDiagnosingTests {
  private func withDocument(
    _ body: (DocumentFixture, Documents, OpenDocument) throws -> Void
  ) throws {
    try withDocuments { fixture in
      let a = try fixture.device("a")
      var options = fixture.options()
      options.attributes = ["color": "red"]
      let document = try a.create(at: fixture.path("Trip.note"), options: options)
      try document.write("1", "a")
      try document.synchronize()
      _ = try a.create(at: fixture.path("Other.note"), options: fixture.options())
      try body(fixture, a, document)
    }
  }

  @Test(arguments: ["", "<?xml version=\"1.0\" encod", "garbage \u{1}\u{2}"])
  func `metadata that cannot be read are found by the store and by the container`(
    text: String
  ) throws {
    try withDocument { fixture, a, document in
      let file = document.package + "/DocumentMetadata.plist"
      let whole = try Data(contentsOf: URL(filePath: file))
      #expect(a.diagnose(store: document.store) == [])
      #expect(a.diagnose(directory: fixture.container) == [])
      try Data(text.utf8).write(to: URL(filePath: file))
      let listed = try a.list().filter { $0.path == document.package }
      #expect(listed.map(\.state) == [.damaged] && listed.map(\.isHere) == [true])
      let before = DirectoryTree.paths(fixture.directory)
      let found = a.diagnose(store: document.store)
      #expect(found.map(\.code) == [.documentMetadata])
      #expect(found.map(\.severity) == [.damage])
      #expect(found.map(\.path) == [file])
      #expect(
        found.map(\.explanation) == ["\(file): it is damaged or has not arrived whole"])
      let command =
        "tributary document open \(document.package) --content-name \(document.metadata.contentName)"
      #expect(found.allSatisfy { $0.remedy.contains(command) })
      for directory in [fixture.container, fixture.documents] {
        #expect(a.diagnose(directory: directory) == found)
      }
      #expect(DirectoryTree.paths(fixture.directory) == before)
      let refused = #expect(throws: DocumentError.self) { try a.open(document.package) }
      #expect(refused?.remedy == found.first?.remedy)
      // What the remedy says.
      try FileManager.default.removeItem(atPath: file)
      try a.restore(document.package, contentName: document.metadata.contentName)
      #expect(try Data(contentsOf: URL(filePath: file)) == whole)
      #expect(a.diagnose(directory: fixture.container) == [])
    }
  }

  @Test func `a package that was removed by other means is named, and opens again`() throws {
    try withDocument { fixture, a, document in
      let b = try fixture.device("b")
      let name = document.metadata.contentName
      let file = document.package + "/DocumentMetadata.plist"
      let whole = try Data(contentsOf: URL(filePath: file))
      _ = try b.open(document.package)
      try document.write("2", "unpublished")
      try FileManager.default.removeItem(atPath: document.package)
      for device in [a, b] {
        var troubles: [DocumentError?] = []
        let list = try device.list(nil) { troubles.append($0 as? DocumentError) }
        #expect(list.map(\.name) == ["Other"])
        #expect(troubles.map { $0?.code } == [.missing])
        #expect(troubles.map { $0?.path } == [document.package])
        let command = "tributary document open \(document.package) --content-name \(name)"
        #expect(troubles.allSatisfy { $0?.remedy.contains(command) ?? false })
        let found = device.diagnose(directory: fixture.container)
        #expect(found.map(\.code) == [.packageMissing])
        #expect(found.map(\.path) == [document.package])
        #expect(found.allSatisfy { $0.remedy.contains(command) })
      }
      #expect(a.diagnose(store: document.store).map(\.code) == [.packageMissing])
      try a.restore(document.package, contentName: name)
      #expect(try Data(contentsOf: URL(filePath: file)) == whole)
      #expect(try a.open(document.package).notes() == ["1=a", "2=unpublished"])
      #expect(try b.open(document.package).notes() == ["1=a"])
      for device in [a, b] {
        #expect(try device.list { Issue.record("\($0)") }.map(\.name) == ["Other", "Trip"])
        #expect(device.diagnose(directory: fixture.container) == [])
      }
      // Once a device has the package again, it can delete the document.
      try a.delete(document.package)
      for device in [a, b] {
        #expect(try device.list { Issue.record("\($0)") }.map(\.name) == ["Other"])
        #expect(device.diagnose(directory: fixture.container) == [])
      }
    }
  }

  @Test func `a package is made again only for a document that has logs and no package`() throws {
    try withDocument { fixture, a, document in
      let name = document.metadata.contentName
      func code(_ path: String, _ name: String) throws -> DocumentError.Code {
        let before = DirectoryTree.paths(fixture.directory)
        defer { #expect(DirectoryTree.paths(fixture.directory) == before) }
        return try #require(throws: DocumentError.self) {
          try a.restore(path, contentName: name)
        }.code
      }
      #expect(try code(fixture.path("Other.note"), name) == .exists)
      #expect(try code(fixture.path("New.note"), name) == .exists)
      #expect(try code(fixture.path("New.note"), "unknown") == .unavailable)
      #expect(try code(fixture.directory + "/New.note", name) == .unavailable)
      // It is there already.
      try a.restore(document.package, contentName: name)
      try a.delete(document.package)
      #expect(try code(fixture.path("New.note"), name) == .deleted)
    }
  }

  @Test(arguments: [true, false])
  func `a package that has lost its metadata says how it becomes a document again`(
    isShared: Bool
  ) throws {
    try withDocuments { fixture in
      let a = try fixture.device("a")
      let path = isShared ? fixture.path("Trip.note") : fixture.directory + "/Trip.note"
      let document = try a.create(at: path, options: fixture.options())
      try document.write("1", "a")
      try document.synchronize()
      try FileManager.default.removeItem(atPath: path + "/DocumentMetadata.plist")
      let name = document.metadata.contentName
      let steps: [() throws -> Void] = [
        { _ = try a.open(path) },
        { try a.delete(path) },
        { try a.move(path, to: fixture.path("New.note")) },
        { _ = try a.duplicate(path, to: fixture.path("New.note")) },
      ]
      for step in steps {
        let error = try #require(throws: DocumentError.self) { try step() }
        #expect(error.code == .notADocument)
        #expect(
          error.remedy
            == "run `tributary document open \(path) --content-name \(name)` to make the "
            + "package of the document again")
      }
      // What the remedy says.
      try a.restore(path, contentName: name)
      #expect(try a.open(path).store == document.store)
      #expect(try a.open(path).notes() == ["1=a"])
    }
  }

  @Test func `a package without metadata that no document has lost is said to be none`() throws {
    try withDocument { fixture, a, document in
      let (folder, moved) = (fixture.path("Folder"), fixture.path("Moved.note"))
      try FileManager.default.createDirectory(
        atPath: folder, withIntermediateDirectories: false)
      try FileManager.default.moveItem(atPath: document.package, toPath: moved)
      try FileManager.default.createDirectory(
        atPath: document.package, withIntermediateDirectories: false)
      // The second one was a document, which is elsewhere now.
      for path in [folder, document.package] {
        let error = try #require(throws: DocumentError.self) { try a.open(path) }
        #expect(error.code == .notADocument)
        #expect(
          error.remedy
            == "name a document; `ManagedDocument.create(at:contents:options:)` makes one at a path "
            + "where nothing is")
      }
    }
  }

  /// What can be in the place of the metadata.
  enum Obstacle: CaseIterable {
    case directory, link, danglingLink, pipe, large

    func put(at file: String) throws {
      try FileManager.default.moveItem(atPath: file, toPath: file + ".aside")
      switch self {
      case .directory:
        try FileManager.default.createDirectory(
          atPath: file, withIntermediateDirectories: false)
      case .link:
        try FileManager.default.createSymbolicLink(
          atPath: file, withDestinationPath: file + ".aside")
      case .danglingLink:
        try FileManager.default.createSymbolicLink(
          atPath: file, withDestinationPath: "/nonexistent/plist")
      case .pipe: try #require(mkfifo(file, 0o600) == 0)
      case .large: try Data(count: 1 << 20 + 1).write(to: URL(filePath: file))
      }
    }
  }

  @Test(arguments: Obstacle.allCases)
  func `what is no file in the place of metadata is told, waited for by nobody, and hides nothing`(
    obstacle: Obstacle
  ) throws {
    try withDocument { fixture, a, document in
      let b = try fixture.device("b")
      let file = document.package + "/DocumentMetadata.plist"
      try obstacle.put(at: file)
      let isLarge = obstacle == .large
      let message =
        isLarge
        ? "it is larger than 1048576 bytes, as no metadata are"
        : "it is not a regular file, but a directory, a link, a pipe or a device"
      let command =
        "tributary document open \(document.package) --content-name \(document.metadata.contentName)"
      for device in [a, b] {
        let list = try device.list { Issue.record("\($0)") }
        #expect(list.map(\.path) == [fixture.path("Other.note"), document.package])
        #expect(list.map(\.state) == [.normal, .damaged])
        let found = device.diagnose(directory: fixture.container)
        #expect(found.map(\.code) == [.documentMetadata])
        #expect(found.map(\.explanation) == ["\(file): \(message)"])
        // Also a device that has never opened it finds out which document it was.
        #expect(found.allSatisfy { $0.remedy.contains(command) }, "\(found)")
        let refused = try #require(throws: DocumentError.self) {
          try device.open(document.package)
        }
        #expect(refused.code == .damaged && refused.path == file)
        #expect(refused.remedy == found.first?.remedy)
      }
      let used = try #require(throws: DocumentError.self) { try b.store(of: document.package) }
      #expect(used.code == .damaged && used.path == file)
      #expect(a.diagnose(store: document.store).map(\.code) == [.documentMetadata])
      // What the remedy says.
      try FileManager.default.removeItem(atPath: file)
      try b.restore(document.package, contentName: document.metadata.contentName)
      #expect(try b.open(document.package).notes() == ["1=a"])
    }
  }

  @Test func `something else under the name of metadata hides no documents`() throws {
    try withDocument { fixture, a, _ in
      try FileManager.default.createDirectory(
        atPath: fixture.path("DocumentMetadata.plist"), withIntermediateDirectories: false)
      let list = try a.list { Issue.record("\($0)") }
      #expect(list.map(\.name) == ["Documents", "Other", "Trip"])
      #expect(list.map(\.state) == [.damaged, .normal, .normal])
    }
  }

  /// The real file system, where the metadata of one package cannot be read.
  private final class Denied: SteppingFileSystem {
    let base: any FileSystem = LocalFileSystem()

    func step(_ operation: FileOperation, _ path: String) throws(FileError) {
      guard operation == .open, path.hasSuffix("/Trip.note/DocumentMetadata.plist") else { return }
      throw FileError(operation: "open", path: path, code: 13)
    }
  }

  @Test func `metadata that this user may not read are told`() throws {
    try withDocument { fixture, _, document in
      let places = DataPlaces(
        containers: fixture.directory + "/shared", data: fixture.directory + "/a")
      let a = try Documents(
        containers: Containers(places: places), environment: StoreEnvironment(fileSystem: Denied()))
      let file = document.package + "/DocumentMetadata.plist"
      var troubles: [String?] = []
      let list = try a.list { troubles.append(($0 as? DocumentError)?.path) }
      #expect(list.map(\.state) == [.normal, .damaged])
      #expect(troubles == [file])
      for found in [a.diagnose(directory: fixture.container), a.diagnose(store: document.store)] {
        #expect(found.map(\.code) == [.unreadable])
        #expect(found.map(\.explanation) == ["\(file): open: Permission denied"])
      }
      let refused = try #require(throws: DocumentError.self) { try a.open(document.package) }
      #expect(refused.code == .inaccessible && refused.path == file)
    }
  }
}
