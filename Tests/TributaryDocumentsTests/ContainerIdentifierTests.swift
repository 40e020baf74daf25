import Testing
import TributaryDocuments

struct ContainerIdentifierTests {
  @Test(arguments: [
    "TEAMID1234.com.example.App", "TEAMID1234.custom.string", "TEAMID1234.x",
    "iCloud.com.example.App", "iCloud.com.example.my-app_2", "0123456789.a",
  ])
  func `these are identifiers, and their directories lead back to them`(text: String) throws {
    let identifier = try ContainerIdentifier(text)
    #expect(identifier.text == text)
    #expect(!identifier.directoryName.contains("."))
    #expect(ContainerIdentifier(directoryName: identifier.directoryName) == identifier)
  }

  @Test func `a full stop is a tilde in the name of the directory`() throws {
    #expect(
      try ContainerIdentifier("iCloud.com.example.App").directoryName == "iCloud~com~example~App")
  }

  @Test(arguments: [
    ("", "is empty"), ("com.example.App", "begins neither"), ("iCloud", "one component"),
    ("iCloud.", "empty component"), ("iCloud..x", "empty component"), (".x", "empty component"),
    ("icloud.com.example.App", "begins neither"), ("TEAMID123.x", "begins neither"),
    ("teamid1234.x", "begins neither"), ("iCloud.a/b", "contains \"/\""),
    ("iCloud.a~b", "contains \"~\""), ("iCloud.é", "contains"), ("iCloud.a b", "contains \" \""),
    ("iCloud.*", "contains \"*\""), ("iCloud.\u{0}", "contains"),
    ("$(TeamIdentifierPrefix)com.example", "variable"),
    ("iCloud." + String(repeating: "a", count: 94), "more than 100 bytes"),
  ])
  func `these are none, for this reason`(text: String, reason: String) throws {
    let error = try #require(throws: DocumentError.self) { try ContainerIdentifier(text) }
    #expect(error.code == .invalidIdentifier)
    #expect(error.message.contains(reason), "\(error)")
    #expect(!error.remedy.isEmpty)
  }

  @Test func `the longest identifier has a hundred bytes`() throws {
    _ = try ContainerIdentifier("iCloud." + String(repeating: "a", count: 93))
  }

  @Test(arguments: ["Documents", "iCloud.com.example", "x~y", ".iCloud~x", "iCloud~", ""])
  func `other directories are no containers`(name: String) {
    #expect(ContainerIdentifier(directoryName: name) == nil)
  }
}
