import Testing
import TributaryCoordination

struct NamePatternTests {
  @Test(arguments: [
    ("*.txt", "a.txt", true), ("*.txt", "a.text", false), ("*.txt", "A.TXT", false),
    ("*", "", true), ("?", "", false), ("?", "é", true), ("a*b*c", "aXbYbZc", true),
    ("a*b*c", "aXbYbZ", false), ("[a-c]*", "bird", true), ("[a-c]*", "dog", false),
    ("[!a-c]?", "dz", true), ("[]]", "]", true), ("[a-]", "-", true), ("\\*", "*", true),
    ("\\*", "a", false), ("**a", "xa", true), ("", "", true), ("", "a", false),
    ("caf\u{E9}", "cafe\u{301}", true),
  ])
  func `a pattern matches names as in the shell`(
    pattern: String, name: String, isMatch: Bool
  ) throws {
    #expect(try NamePattern(pattern).matches(name) == isMatch)
  }

  @Test func `capital letters are small ones where the pattern says so`() throws {
    #expect(try NamePattern("*.TxT", isCaseInsensitive: true).matches("Straße.tXt"))
  }

  @Test(arguments: ["[", "[a", "[!]", "a\\", "[z-a]"])
  func `a pattern that is none is refused by name`(text: String) {
    let error = #expect(throws: CoordinationError.self) { try NamePattern(text) }
    #expect(error?.code == .invalidPattern)
    #expect(error?.message.contains(text) == true)
  }
}
