import Testing
import TributaryCore
import TributarySQLite
import TributaryStore

/// SQLite itself says what a text is where a number is wanted.
struct NumberTextTests {
  @Test func `texts are the numbers that SQLite takes them for`() throws {
    let connection = try Connection(path: ":memory:", mode: .create)
    try connection.execute("CREATE TABLE t (x NUMERIC)")
    let parts = [
      "", " ", "\t", "+", "-", "0", "1", "02", "9223372036854775807", ".", "e", "E3", "x",
    ]
    var texts = ["9223372036854775808", "-9223372036854775808", "1e+2", "1e-2 ", "0x10", "1_0"]
    for a in parts {
      for b in parts {
        for c in parts {
          for d in ["", ".5", "e1", " "] { texts.append(a + b + c + d) }
        }
      }
    }
    for text in texts {
      try connection.execute("DELETE FROM t")
      try connection.cached("INSERT INTO t VALUES (?)").run(.string(text))
      let query = try connection.cached("SELECT x FROM t")
      defer { query.reset() }
      _ = try query.step()
      var expected: Value? = query.value(0)
      if case .text = query.value(0) { expected = nil }
      let found = Array(text.utf8).withUnsafeBytes { NumberText.value(of: $0) }
      #expect(found == expected, "\(text)")
    }
  }

  @Test func `another number is spelled as the one before it`() {
    let spellings = [
      ("1", "-7"), ("01", "-07"), (" 1\n", " -7\n"), ("1.00", "-7.00"), ("0", "-7"), ("00", "-07"),
      ("-5", "-7"), ("+1", "-7e+0"), ("1e0", "-7e0"),
    ]
    for (old, new) in spellings {
      let found = Array(old.utf8).withUnsafeBytes { NumberText.replacing($0, with: -7) }
      #expect(String(decoding: found, as: UTF8.self) == new)
      #expect(found.withUnsafeBytes { NumberText.value(of: $0) } == -7)
    }
    let back = Array("-07".utf8).withUnsafeBytes { NumberText.replacing($0, with: 12) }
    #expect(back == Array("012".utf8))
  }
}
