import Testing
import TributaryContainer

struct ContentNameTests {
  @Test(arguments: [
    "Library", "a", "Bücher und 音楽", "com.example.App", "console", "nul1", "com", "com10",
    "a..b", " a", "#%&{}$!'@+`=~,;()[]", String(repeating: "n", count: 100),
  ])
  func `a portable name is kept as it is`(text: String) throws {
    #expect(try ContentName(text).text == text)
    #expect(try ContentRoot(text).components == [text])
  }

  @Test(arguments: [
    ("", "empty"), (String(repeating: "n", count: 101), "100"),
    (String(repeating: "音", count: 34), "100"), ("a/b", "separator"), ("a\\b", "separator"),
    ("a\0b", "control"), ("a\nb", "control"), ("a\u{7f}", "control"), ("a\u{85}", "control"),
    (".hidden", "dot"), (".", "dot"), ("..", "dot"), ("a.", "ends"), ("a ", "ends"), (" ", "ends"),
    ("a<b", "<"), ("a>b", ">"), ("a:b", ":"), ("a\"b", "\""), ("a|b", "|"), ("a?", "?"),
    ("a*", "*"), ("a\u{301}?", "?"), ("con", "reserved"), ("CON", "reserved"), ("Aux", "reserved"),
    ("nul.txt", "reserved"), ("prn .x", "reserved"), ("com1", "reserved"), ("LPT9", "reserved"),
    ("com².log", "reserved"), ("conin$", "reserved"),
  ])
  func `a name that some carrier would change is refused with the rule`(
    text: String, rule: String
  ) throws {
    #expect {
      _ = try ContentName(text)
    } throws: {
      has(.invalidName, $0) && "\($0)".contains(rule)
    }
  }

  @Test func `names are equal when their bytes are`() throws {
    let composed = try ContentName("\u{e9}")
    let decomposed = try ContentName("e\u{301}")
    #expect(composed != decomposed)
    #expect(composed.hashValue != decomposed.hashValue)
    #expect(try Set([composed, decomposed, ContentName("\u{e9}")]).count == 2)
    #expect(try ContentRoot("\u{e9}") != ContentRoot("e\u{301}"))
  }

  @Test func `a content root may have several components`() throws {
    #expect(ContentRoot.standard.text == "tributary")
    #expect(try ContentRoot("com.example/logs/a b").components == ["com.example", "logs", "a b"])
  }

  @Test(arguments: ["/", "/etc", "..", "a/..", "../a", "a/../b"])
  func `a content root that leads out of the container is refused`(text: String) {
    #expect { _ = try ContentRoot(text) } throws: { has(.outsideContainer, $0) }
  }

  @Test(arguments: ["", "a/", "a//b", "./a", "a/.", "a/b?", "a/con", "a/.b", "a\\b"])
  func `a content root with a bad component is refused`(text: String) {
    #expect { _ = try ContentRoot(text) } throws: { has(.invalidName, $0) }
  }
}
