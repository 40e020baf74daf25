import Foundation
import Testing
import TributaryDocuments
import TributaryTesting

struct ContainersTests {
  private func withContainers(
    granting identifiers: [String]? = nil, _ body: (Containers, String) throws -> Void
  ) throws {
    try withTemporaryDirectory { directory in
      var entitlements: Entitlements?
      if let identifiers {
        let path = directory + "/App.entitlements"
        try PropertyListSerialization.data(
          fromPropertyList: ["com.apple.developer.icloud-container-identifiers": identifiers],
          format: .xml, options: 0
        ).write(to: URL(filePath: path))
        entitlements = try Entitlements(contentsOf: path)
      }
      let places = DataPlaces(containers: directory + "/shared", data: directory + "/data")
      try body(Containers(places: places, entitlements: entitlements), directory)
    }
  }

  private let app = try! ContainerIdentifier("iCloud.com.example.App")

  @Test func `the first use makes a container with its documents`() throws {
    try withContainers { containers, directory in
      let path = try #require(try containers.path(for: app))
      #expect(path == directory + "/shared/iCloud~com~example~App")
      #expect(FileManager.default.fileExists(atPath: path + "/Documents"))
      #expect(try containers.path(for: app) == path)
      #expect(try containers.list().map(\.state) == [.enabled])
    }
  }

  @Test func `nil is the first container of the entitlements`() throws {
    try withContainers(granting: ["iCloud.com.example.App", "iCloud.shared"]) { containers, _ in
      #expect(try containers.path()?.hasSuffix("/iCloud~com~example~App") == true)
      #expect(try containers.path(for: ContainerIdentifier("iCloud.shared")) != nil)
      let error = try #require(throws: DocumentError.self) {
        try containers.path(for: ContainerIdentifier("iCloud.other"))
      }
      #expect(error.code == .notEntitled)
      #expect(error.message.contains("iCloud.com.example.App, iCloud.shared"))
    }
    try withContainers { containers, _ in
      #expect(throws: DocumentError.self) { try containers.path() }
    }
    try withContainers(granting: []) { containers, _ in
      #expect(throws: DocumentError.self) { try containers.path() }
    }
  }

  @Test func `an application sees no containers but its own`() throws {
    try withContainers(granting: ["iCloud.com.example.App"]) { containers, _ in
      let all = Containers(places: containers.places)
      _ = try all.path(for: ContainerIdentifier("iCloud.other"))
      _ = try containers.path()
      #expect(try containers.list().map(\.identifier) == [app])
      #expect(try containers.storage().map(\.identifier) == [app])
      #expect(try all.list().count == 2)
      #expect(throws: DocumentError.self) {
        try containers.delete(ContainerIdentifier("iCloud.other"))
      }
    }
  }

  @Test func `a disabled container is unavailable until it is enabled, and keeps its contents`()
    throws
  {
    try withContainers { containers, _ in
      let path = try #require(try containers.path(for: app))
      try Data("x".utf8).write(to: URL(filePath: path + "/Documents/x"))
      #expect(try containers.disable(app))
      #expect(try !containers.disable(app))
      #expect(try containers.path(for: app) == nil)
      let error = try #require(throws: DocumentError.self) {
        try containers.availablePath(for: app)
      }
      #expect(error.code == .unavailable)
      #expect(error.message.contains("disabled"))
      #expect(try containers.list().map(\.state) == [.disabled])
      #expect(try containers.enable(app))
      #expect(try !containers.enable(app))
      #expect(try containers.path(for: app) == path)
      #expect(FileManager.default.fileExists(atPath: path + "/Documents/x"))
    }
  }

  @Test func `a container whose mount is away is not made anew`() throws {
    try withContainers { containers, directory in
      _ = try containers.path(for: app)
      let away = directory + "/away"
      try FileManager.default.moveItem(atPath: containers.places.containers, toPath: away)
      #expect(try containers.path(for: app) == nil)
      #expect(!FileManager.default.fileExists(atPath: containers.places.containers))
      // What is left of a mount that has died.
      try FileManager.default.createDirectory(
        atPath: containers.places.containers, withIntermediateDirectories: false)
      #expect(try containers.path(for: app) == nil)
      #expect(try containers.identityToken() != nil)
      #expect(try containers.list().map(\.state) == [.absent])
      try FileManager.default.removeItem(atPath: containers.places.containers)
      #expect(try containers.identityToken() == nil)
      try FileManager.default.moveItem(atPath: away, toPath: containers.places.containers)
      #expect(try containers.path(for: app) != nil)
    }
  }

  @Test func `a container may be disabled for one application, and the others use it`() throws {
    try withContainers(granting: ["iCloud.com.example.App", "iCloud.shared"]) { one, directory in
      let shared = try ContainerIdentifier("iCloud.shared")
      let file = directory + "/Other.entitlements"
      try PropertyListSerialization.data(
        fromPropertyList: [
          "com.apple.developer.icloud-container-identifiers": ["iCloud.shared"],
          "application-identifier": "TEAMID1234.other",
        ], format: .xml, options: 0
      ).write(to: URL(filePath: file))
      let other = Containers(places: one.places, entitlements: try Entitlements(contentsOf: file))
      let all = Containers(places: one.places)
      #expect(one.entitlements?.application == "iCloud.com.example.App")
      #expect(other.entitlements?.application == "TEAMID1234.other")
      _ = try one.path(for: shared)
      #expect(try all.disable(shared, application: "TEAMID1234.other"))
      #expect(try !all.disable(shared, application: "TEAMID1234.other"))
      #expect(try one.path(for: shared) != nil)
      #expect(try all.path(for: shared) != nil)
      #expect(try other.path() == nil)
      #expect(try other.identityToken() == nil)
      #expect(try other.list().map(\.state) == [.disabled])
      #expect(try all.list().map(\.state) == [.enabled])
      let error = try #require(throws: DocumentError.self) { try other.availablePath() }
      #expect(error.code == .unavailable)
      #expect(error.message.contains("for the application TEAMID1234.other"))
      // For the device, too, which is another matter.
      #expect(try all.disable(shared))
      #expect(try all.enable(shared))
      #expect(try other.path() == nil)
      #expect(try all.enable(shared, application: "TEAMID1234.other"))
      #expect(try !all.enable(shared, application: "TEAMID1234.other"))
      #expect(try other.path() != nil)
      #expect(try other.identityToken() != nil)
    }
  }

  /// Expects a container to be unavailable, and nothing to be made.
  private func expectUnavailable(
    _ containers: Containers, _ words: String, _ directory: String,
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let before = DirectoryTree.paths(directory)
    #expect(try containers.path(for: app) == nil, sourceLocation: sourceLocation)
    let error = try #require(throws: DocumentError.self, sourceLocation: sourceLocation) {
      try containers.availablePath(for: app)
    }
    #expect(error.code == .unavailable, sourceLocation: sourceLocation)
    #expect(error.message.contains(words), "\(error)", sourceLocation: sourceLocation)
    #expect(!error.remedy.isEmpty, sourceLocation: sourceLocation)
    #expect(try containers.list().map(\.state) == [.absent], sourceLocation: sourceLocation)
    #expect(DirectoryTree.paths(directory) == before, sourceLocation: sourceLocation)
  }

  @Test func `nothing is made in what is left of the mount of one container`() throws {
    try withContainers { containers, directory in
      let path = try #require(try containers.path(for: app))
      try FileManager.default.moveItem(atPath: path, toPath: directory + "/away")
      try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
      try expectUnavailable(containers, "empty", directory)
      try FileManager.default.removeItem(atPath: path)
      try FileManager.default.moveItem(atPath: directory + "/away", toPath: path)
      #expect(try containers.path(for: app) == path)
    }
  }

  @Test func `a container that is gone while others are there is made anew only if that is wanted`()
    throws
  {
    try withContainers { containers, directory in
      let path = try #require(try containers.path(for: app))
      try FileManager.default.createDirectory(
        atPath: containers.places.containers + "/other", withIntermediateDirectories: false)
      try FileManager.default.removeItem(atPath: path)
      try expectUnavailable(containers, "gone", directory)
      // A disabled one is enabled first, and is still gone.
      #expect(try containers.disable(app))
      #expect(try containers.enable(app))
      try expectUnavailable(containers, "gone", directory)
      #expect(try containers.enable(app))
      #expect(try containers.path(for: app) == path)
      #expect(try containers.list().map(\.state) == [.enabled])
    }
  }

  @Test func `a link that leads nowhere is named with its target`() throws {
    try withContainers { containers, directory in
      try FileManager.default.createDirectory(
        atPath: containers.places.containers, withIntermediateDirectories: false)
      let target = directory + "/mount/shared"
      try FileManager.default.createSymbolicLink(
        atPath: containers.places.containers + "/" + app.directoryName, withDestinationPath: target)
      try expectUnavailable(containers, target, directory)
      try FileManager.default.createDirectory(atPath: target, withIntermediateDirectories: true)
      #expect(try containers.path(for: app) == target)
    }
  }

  @Test func `a container with files whose names are not in UTF-8 is deleted wholly`() throws {
    try withContainers { containers, directory in
      let path = try #require(try containers.path(for: app))
      for place in [path, path + "/Documents"] {
        DirectoryTree.makeInexactFile(in: place)
        DirectoryTree.makeInexactDirectory(in: place)
      }
      try containers.delete(app)
      #expect(try FileManager.default.contentsOfDirectory(atPath: directory + "/shared").isEmpty)
    }
  }

  @Test func `enabling begins anew where the directory is gone for good`() throws {
    try withContainers { containers, _ in
      _ = try containers.path(for: app)
      try FileManager.default.removeItem(atPath: containers.places.containers)
      #expect(try containers.enable(app))
      #expect(try containers.path(for: app) != nil)
    }
  }

  @Test func `a container may be a link to the shared directory itself`() throws {
    try withContainers { containers, directory in
      let shared = directory + "/mount"
      for path in [shared, containers.places.containers] {
        try FileManager.default.createDirectory(
          atPath: path, withIntermediateDirectories: true)
      }
      let link = containers.places.containers + "/" + app.directoryName
      try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: shared)
      #expect(try containers.path(for: app) == shared)
      #expect(FileManager.default.fileExists(atPath: shared + "/Documents"))
      try containers.delete(app)
      #expect(try FileManager.default.contentsOfDirectory(atPath: shared).isEmpty)
      #expect(!FileManager.default.fileExists(atPath: link))
    }
  }

  @Test func `identifiers that some carriers confuse are refused`() throws {
    try withContainers { containers, _ in
      _ = try containers.path(for: app)
      let error = try #require(throws: DocumentError.self) {
        try containers.path(for: ContainerIdentifier("iCloud.com.example.app"))
      }
      #expect(error.code == .nameCollision)
    }
  }

  @Test func `the identity token stays the same until the directory is another one`() throws {
    try withContainers(granting: ["iCloud.com.example.App"]) { containers, directory in
      let token = try #require(try containers.identityToken())
      #expect(try containers.identityToken() == token)
      try containers.disable(app)
      #expect(try containers.identityToken() == nil)
      try containers.enable(app)
      #expect(try containers.identityToken() == token)
      let other = Containers(
        places: DataPlaces(containers: directory + "/other", data: directory + "/data"),
        entitlements: containers.entitlements)
      #expect(try other.identityToken() != token)
      #expect(try containers.identityToken() == token)
    }
  }

  @Test func `a change of the token is announced`() async throws {
    try await withTemporaryDirectory { directory in
      let path = directory + "/App.entitlements"
      try PropertyListSerialization.data(
        fromPropertyList: ["com.apple.developer.icloud-container-identifiers": [app.text]],
        format: .xml, options: 0
      ).write(to: URL(filePath: path))
      let containers = Containers(
        places: DataPlaces(containers: directory + "/shared", data: directory + "/data"),
        entitlements: try Entitlements(contentsOf: path))
      var tokens = try containers.identityTokens().makeAsyncIterator()
      let first = try #require(await tokens.next())
      #expect(first != nil)
      // Another program, which knows nothing of the sequence.
      try Containers(places: containers.places).disable(app)
      #expect(await tokens.next() == .some(nil))
      try Containers(places: containers.places).enable(app)
      #expect(await tokens.next() == first)
    }
  }

  @Test func `storage says what each item and the rest takes`() throws {
    try withContainers { containers, _ in
      let path = try #require(try containers.path(for: app))
      try FileManager.default.createDirectory(
        atPath: path + "/Documents/Package", withIntermediateDirectories: true)
      try Data(count: 10).write(to: URL(filePath: path + "/Documents/Package/part"))
      try Data(count: 20).write(to: URL(filePath: path + "/Documents/file"))
      try Data(count: 5).write(to: URL(filePath: path + "/other"))
      let storage = try #require(try containers.storage().first)
      #expect(storage.documents.map(\.name) == ["file", "Package"])
      #expect(storage.documents.map(\.bytes) == [20, 10])
      #expect(storage.otherBytes == 5)
      #expect(storage.bytes == 35)
    }
  }

  @Test func `a deleted container is gone, and is made anew when it is used again`() throws {
    try withContainers { containers, _ in
      let path = try #require(try containers.path(for: app))
      try Data("x".utf8).write(to: URL(filePath: path + "/Documents/x"))
      try containers.delete(app)
      #expect(!FileManager.default.fileExists(atPath: path))
      #expect(try containers.list().isEmpty)
      let error = try #require(throws: DocumentError.self) { try containers.delete(app) }
      #expect(error.code == .missing)
      #expect(try containers.path(for: app) == path)
      #expect(try FileManager.default.contentsOfDirectory(atPath: path + "/Documents").isEmpty)
    }
  }

  @Test func `settings that cannot be read are named and change nothing`() throws {
    try withContainers { containers, directory in
      _ = try containers.path(for: app)
      let path = directory + "/data/containers.json"
      try Data("{".utf8).write(to: URL(filePath: path))
      let error = try #require(throws: DocumentError.self) { try containers.disable(app) }
      #expect(error.code == .damaged)
      #expect(error.path == path)
      #expect(try String(contentsOfFile: path, encoding: .utf8) == "{")
    }
  }
}
