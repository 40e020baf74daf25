import Testing
import TributaryCore

struct SQLNameTests {
  @Test func `letters of ASCII are equal in either case, and everything else only to itself`() {
    #expect(SQLName("Table_1") == "tABLE_1")
    #expect(SQLName("Table_1").hashValue == SQLName("tABLE_1").hashValue)
    let different: [(SQLName, SQLName)] = [
      ("Ä", "ä"), ("\u{E9}", "e\u{301}"), ("K", "\u{212A}"), ("k", "\u{212A}"), ("i", "\u{131}"),
      ("s", "\u{17F}"), ("a", "ab"), ("@", "`"), ("[", "{"), ("a\u{0}", "a"),
    ]
    for (a, b) in different {
      #expect(a != b, "\(a) and \(b)")
      #expect(Set([a, b]).count == 2)
      #expect((a < b) != (b < a))
    }
  }

  @Test func `the folded form changes ASCII letters alone`() {
    #expect(SQLName("AZaz@[`{").folded == "azaz@[`{")
    #expect(
      Array(SQLName("\u{C4}\u{212A}E\u{301}").folded.utf8) == Array("\u{C4}\u{212A}e\u{301}".utf8))
  }

  @Test func `prefixes and parts are looked for in bytes`() {
    #expect(SQLName("TRIBUTARY_\u{301}x").hasPrefix("tributary_"))
    #expect(!SQLName("tributary").hasPrefix("tributary_"))
    #expect(SQLName("big iNt\u{301}").contains("INT"))
    #expect(!SQLName("\u{131}nt").contains("INT"))
    #expect(SQLName("x").contains(""))
  }
}
