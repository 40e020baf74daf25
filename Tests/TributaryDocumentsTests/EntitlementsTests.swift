import Foundation
import Testing
import TributaryDocuments
import TributaryTesting

struct EntitlementsTests {
  private static let containers = "com.apple.developer.icloud-container-identifiers"
  private static let ubiquity = "com.apple.developer.ubiquity-container-identifiers"
  private static let keyValue = "com.apple.developer.ubiquity-kvstore-identifier"

  private func entitlements(
    _ list: Any, format: PropertyListSerialization.PropertyListFormat = .xml
  ) throws -> Entitlements {
    try withTemporaryDirectory { directory in
      let path = directory + "/App.entitlements"
      try PropertyListSerialization.data(fromPropertyList: list, format: format, options: 0)
        .write(to: URL(filePath: path))
      return try Entitlements(contentsOf: path)
    }
  }

  @Test(arguments: [PropertyListSerialization.PropertyListFormat.xml, .binary])
  func `the first container is the main one`(
    format: PropertyListSerialization.PropertyListFormat
  ) throws {
    let granted = try entitlements(
      [
        Self.containers: [
          "iCloud.com.example.App", "TEAMID1234.shared", "TEAMID1234.com.example.*",
        ],
        Self.keyValue: "TEAMID1234.com.example.App",
        "com.apple.security.app-sandbox": true,
        "other": ["a": 1.5, "b": Date(timeIntervalSince1970: 0)],
      ], format: format)
    #expect(granted.main?.text == "iCloud.com.example.App")
    #expect(granted.keyValueStore?.text == "TEAMID1234.com.example.App")
    #expect(granted.grants(try ContainerIdentifier("TEAMID1234.shared")))
    #expect(granted.grants(try ContainerIdentifier("TEAMID1234.com.example.Other")))
    #expect(!granted.grants(try ContainerIdentifier("TEAMID1234.com.examples")))
    #expect(!granted.grants(try ContainerIdentifier("iCloud.com.example.Other")))
    #expect(throws: DocumentError.self) {
      try granted.check(ContainerIdentifier("iCloud.com.example.Other"))
    }
  }

  @Test func `the key for documents counts before the one for all services`() throws {
    let granted = try entitlements([
      Self.containers: ["iCloud.a", "iCloud.b"], Self.ubiquity: ["iCloud.b"],
    ])
    #expect(granted.main?.text == "iCloud.b")
  }

  @Test func `nothing granted is no mistake`() throws {
    let granted = try entitlements([String: Any]())
    #expect(granted.main == nil)
    #expect(granted.containers.isEmpty)
    #expect(granted.keyValueStore == nil)
  }

  private func reason(_ list: Any) throws -> String {
    let error = try #require(throws: DocumentError.self) { try entitlements(list) }
    #expect(error.code == .entitlements)
    #expect(error.path?.hasSuffix("/App.entitlements") == true)
    #expect(!error.remedy.isEmpty)
    return error.message
  }

  @Test func `each broken rule is named with its key`() throws {
    #expect(try reason([Self.containers: "iCloud.a"]).contains("is a string, not an array"))
    #expect(try reason([Self.containers: ["iCloud.a", 1]]).contains("element 2 of"))
    #expect(try reason([Self.containers: ["iCloud.*"]]).contains("with a wildcard"))
    #expect(try reason([Self.containers: ["iCloud.a", "iCloud.*.b"]]).contains("wildcard inside"))
    #expect(try reason([Self.containers: ["iCloud.a", "*"]]).contains("wildcard inside"))
    #expect(try reason([Self.containers: ["iCloud.a", "iCloud.A"]]).contains("repeats iCloud.A"))
    #expect(try reason([Self.containers: ["com.example.App"]]).contains("begins neither"))
    #expect(
      try reason([Self.ubiquity: ["iCloud.a"], Self.containers: 1]).contains("not an array"))
    #expect(try reason([Self.keyValue: ["iCloud.a"]]).contains("is an array, not a string"))
    #expect(try reason([Self.keyValue: "TEAMID1234.*"]).contains("with a wildcard"))
    #expect(
      try reason([
        "com.apple.developer.team-identifier": "TEAMID1234", Self.keyValue: "TEAMID1235.a",
      ]).contains("of another team"))
    #expect(try reason(["a"]).contains("not a dictionary"))
  }

  @Test func `a file that is no property list is named`() throws {
    try withTemporaryDirectory { directory in
      for text in ["", "hello { (", "<plist><dict><key>a</key>", "\u{0}\u{1}"] {
        let path = directory + "/x"
        try Data(text.utf8).write(to: URL(filePath: path))
        let error = try #require(throws: DocumentError.self) { try Entitlements(contentsOf: path) }
        #expect(error.message.contains("not a property list"), "\(text)")
        #expect(error.path == path)
      }
      let error = try #require(throws: DocumentError.self) {
        try Entitlements(contentsOf: directory + "/none")
      }
      #expect(error.message.contains("cannot be read"))
    }
  }
}
