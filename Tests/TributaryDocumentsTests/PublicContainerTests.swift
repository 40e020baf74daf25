import Foundation
import Testing
import TributaryDocuments
import TributaryTesting

struct PublicContainerTests {
  private func read(_ list: Any) throws -> [PublicContainer] {
    try withTemporaryDirectory { directory in
      let path = directory + "/Info.plist"
      try PropertyListSerialization.data(fromPropertyList: list, format: .xml, options: 0)
        .write(to: URL(filePath: path))
      return try PublicContainer.all(inInfo: path)
    }
  }

  private func info(_ fields: [String: Any]) -> [String: Any] {
    ["NSUbiquitousContainers": ["iCloud.com.example.App": fields]]
  }

  @Test func `the keys of Info.plist are read`() throws {
    let container = try #require(
      try read(
        info([
          "NSUbiquitousContainerIsDocumentScopePublic": true,
          "NSUbiquitousContainerSupportedFolderLevels": "One",
          "NSUbiquitousContainerName": "My App",
        ])
      ).first)
    #expect(container.identifier.text == "iCloud.com.example.App")
    #expect(container.isDocumentScopePublic)
    #expect(container.supportedFolderLevels == .one)
    #expect(container.name == "My App")
    try container.checkDepth(of: "a/b")
    #expect(throws: DocumentError.self) { try container.checkDepth(of: "a/b/c") }
    let plain = try #require(try read(info([:])).first)
    #expect(!plain.isDocumentScopePublic)
    #expect(plain.supportedFolderLevels == .any)
    #expect(plain.name == "App")
    #expect(try read([String: Any]()).isEmpty)
  }

  @Test func `each broken rule is named`() throws {
    func reason(_ list: Any) throws -> String {
      let error = try #require(throws: DocumentError.self) { try read(list) }
      #expect(error.code == .publicContainers)
      return error.message
    }
    #expect(try reason(["NSUbiquitousContainers": ["x"]]).contains("not a dictionary"))
    #expect(try reason(["NSUbiquitousContainers": ["x": [:]]]).contains("one component"))
    #expect(try reason(["NSUbiquitousContainers": ["iCloud.x": 1]]).contains("is a number"))
    #expect(
      try reason(info(["NSUbiquitousContainerIsDocumentScopePublic": "yes"])).contains(
        "not a boolean"))
    #expect(
      try reason(info(["NSUbiquitousContainerSupportedFolderLevels": "Two"])).contains(
        "has an unknown value"))
    #expect(try reason(info(["NSUbiquitousContainerName": 1])).contains("not a string"))
    #expect(try reason(info(["NSUbiquitousContainerName": "a/b"])).contains("path separator"))
  }

  @Test func `public containers appear in the drive, and others disappear`() throws {
    try withTemporaryDirectory { directory in
      let containers = Containers(
        places: DataPlaces(containers: directory + "/shared", data: directory + "/data"))
      var container = try #require(
        try read(info(["NSUbiquitousContainerIsDocumentScopePublic": true])).first)
      let path = directory + "/data/Drive/App"
      #expect(try containers.publish([container]) == [path])
      #expect(try containers.publish([container]) == [path])
      let documents = directory + "/shared/iCloud~com~example~App/Documents"
      #expect(try FileManager.default.destinationOfSymbolicLink(atPath: path) == documents)
      var other = container
      other.identifier = try ContainerIdentifier("iCloud.other")
      let error = try #require(throws: DocumentError.self) { try containers.publish([other]) }
      #expect(error.code == .exists)
      container.isDocumentScopePublic = false
      #expect(try containers.publish([container]).isEmpty)
      #expect(!FileManager.default.fileExists(atPath: path))
      #expect(FileManager.default.fileExists(atPath: documents))
    }
  }
}
