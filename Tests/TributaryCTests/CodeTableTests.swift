import Foundation
import Testing

/// The codes in docs/c.md, compared with the header and with the errors of the library.
struct CodeTableTests {
  private func text(_ path: String) throws -> String {
    let file = URL(filePath: #filePath).deletingLastPathComponent()
      .appending(path: "../../" + path).standardizedFileURL
    return try String(contentsOf: file, encoding: .utf8)
  }

  @Test func `each result of the header is in the documentation, with its number`() throws {
    let declared = try text("Sources/CTributary/tributary.h")
      .matches(of: /#define (TRIBUTARY_[A-Z]+) ([0-9])/).map { "\($0.1) \($0.2)" }
      .filter { !$0.hasPrefix("TRIBUTARY_ABI ") }
    let documented = try text("docs/c.md").matches(of: /\| `(TRIBUTARY_[A-Z]+)` ([0-9]) \|/)
      .map { "\($0.1) \($0.2)" }
    #expect(!declared.isEmpty && documented == declared)
  }

  /// Of calls that the interface does not have.
  private static let others: Set = ["version", "unknownPeer", "ambiguousPeer", "ownPeer"]

  @Test func `each code that an error may have is in the documentation, once`() throws {
    var codes: [String] = []
    for file in ["Files", "Stores"] {
      let source = try text("Sources/TributaryCore/Errors/ErrorCode+\(file).swift")
      for part in source.split(separator: "extension ErrorCode {")
      where part.contains(/\/\/ Of (containers|stores|synchronisation|SQLite)\./) {
        codes += part.matches(of: /ErrorCode\(rawValue: "([A-Za-z]+)"\)/).map { String($0.1) }
      }
    }
    codes += try text("Sources/TributaryC/ErrorObject.swift")
      .matches(of: /ErrorCode\(rawValue: "([a-z]+)"\)/).map { String($0.1) }
    let documented = try text("docs/c.md").matches(of: /\n\| `([a-z][A-Za-z]+)` \|/).map {
      String($0.1)
    }
    #expect(Self.others.isSubset(of: codes))
    #expect(documented.sorted() == codes.filter { !Self.others.contains($0) }.sorted())
  }
}
