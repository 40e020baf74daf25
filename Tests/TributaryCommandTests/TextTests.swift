import Testing
import TributaryCommand
import TributaryCore
import TributaryFiles
import TributaryTesting

struct TextTests {
  @Test func `what moves the cursor or reorders text is escaped`() {
    #expect(Escaping.escaped("plain ~ text") == "plain ~ text")
    #expect(Escaping.escaped("Bücher 音楽 🎵") == "Bücher 音楽 🎵")
    #expect(Escaping.escaped("a\u{0}\u{1B}\u{7F}\r\n\t") == #"a\x00\x1b\x7f\r\n\t"#)
    #expect(Escaping.escaped("\u{85}\u{9B}2J") == #"\x85\x9b2J"#)
    #expect(Escaping.escaped("\u{202E}\u{2028}\u{2066}") == #"\u{202e}\u{2028}\u{2066}"#)
  }

  @Test func `bytes that are no text are shown as such`() {
    #expect(Escaping.escaped([0x61, 0xFF, 0xC3, 0xBC, 0xE2, 0x82, 0x0A]) == #"a\xffü\xe2\x82\n"#)
    #expect(Escaping.escaped([UInt8]()) == "")
  }

  @Test func `any bytes become something that can be shown`() throws {
    try withSeeds(0..<50) { random in
      for count in 0..<30 {
        let shown = Escaping.escaped(random.bytes(count: count))
        let isSafe = shown.unicodeScalars.allSatisfy {
          $0.value >= 0x20 && !(0x7F..<0xA0).contains($0.value)
        }
        try #require(isSafe)
      }
    }
  }

  @Test(arguments: [
    ("0", 0), ("1700000000123", 1_700_000_000_123), ("1970-01-01T00:00:00Z", 0),
    ("2026-11-20T10:11:12.345Z", 1_795_169_472_345), ("2026-11-20t10:11:12z", 1_795_169_472_000),
    ("2026-11-20 12:11:12.3459+02:00", 1_795_169_472_345),
    ("2026-11-20T04:41:12.3-05:30", 1_795_169_472_300),
    ("2024-02-29T23:59:60Z", 1_709_251_200_000), ("9999-12-31T23:59:59.999Z", 253_402_300_799_999),
  ])
  func `times are read`(text: String, milliseconds: UInt64) {
    #expect(Timestamp.milliseconds(text) == milliseconds)
  }

  @Test(arguments: [
    "", "now", "-1", "1.5", "2026-11-20", "2026-11-20T10:11Z", "2026-11-20T10:11:12",
    "2026-11-20T10:11:12.Z", "2026-13-20T10:11:12Z", "2026-02-30T10:11:12Z", "2026-11-20T24:11:12Z",
    "2026-11-20T10:60:12Z", "2026-11-20T10:11:61Z", "2026-11-20T10:11:12+2:00",
    "1969-12-31T23:59:59Z",
    "2026-11-20T10:11:12Z ", " 2026-11-20T10:11:12Z", "99999999999999999999",
    "２０２６-11-20T10:11:12Z",
  ])
  func `what is no time is none`(text: String) {
    #expect(Timestamp.milliseconds(text) == nil)
  }

  @Test func `times are written as they are read`() throws {
    #expect(Timestamp.text(milliseconds: 0) == "1970-01-01T00:00:00.000Z")
    #expect(Timestamp.text(milliseconds: 1_795_169_472_345) == "2026-11-20T10:11:12.345Z")
    #expect(Timestamp.text(milliseconds: HybridTime.maximumMilliseconds).hasPrefix("10889-"))
    try withSeeds(0..<200) { random in
      let time = UInt64.random(in: 0..<253_402_300_800_000, using: &random)
      try #require(Timestamp.milliseconds(Timestamp.text(milliseconds: time)) == time)
    }
  }

  @Test func `values are shown as SQL writes them`() {
    #expect(Literal.text(.null) == "NULL")
    #expect(Literal.text(.integer(.min)) == "-9223372036854775808")
    #expect(Literal.text(.real(1)) == "1.0")
    #expect(Literal.text(.real(-.infinity)) == "-Inf")
    #expect(Literal.text("it's\n") == #"'it''s\n'"#)
    #expect(Literal.text(.text([0xFF, 0])) == #"'\xff\x00'"#)
    #expect(Literal.text(.blob([0, 255])) == "x'00ff'")
    #expect(Literal.key(["a", 1]) == "('a', 1)")
    let long = Literal.text(.string(String(repeating: "ü", count: 150)))
    #expect(long == "'" + String(repeating: "ü", count: 100) + "'… (300 bytes)")
    let odd = Literal.text(.string("x" + String(repeating: "ü", count: 150)))
    #expect(odd == "'x" + String(repeating: "ü", count: 99) + "'… (301 bytes)")
  }

  @Test func `columns are aligned by what is seen`() throws {
    let collector = Collector()
    let output = Output(standardOutput: collector.append, standardError: { _ in })
    var table = TextTable(["NAME", "N"], alignments: [.left, .right], to: output)
    try table.append(["音楽", "1"])
    try table.append(["u\u{308}ber", "100"])
    try table.finish()
    try output.flush()
    #expect(collector.text == "NAME    N\n音楽    1\nu\u{308}ber  100\n")
  }

  @Test(
    arguments: [
      ("1", .integer(1)), ("-9223372036854775808", .integer(.min)), ("+7", .integer(7)),
      ("007", .integer(7)), ("9223372036854775808", .real(9_223_372_036_854_775_808)),
      ("1.5", .real(1.5)), (".5", .real(0.5)), ("5.", .real(5)), ("1e3", .real(1000)),
      ("-1.5E-3", .real(-0.0015)), ("NULL", .null), ("null", .null), ("'NULL'", "NULL"),
      ("'12'", "12"), ("'it''s'", "it's"), ("''", ""), ("", ""), ("x'00fF'", .blob([0, 255])),
      ("X''", .blob([])), ("text", "text"), ("1 2", "1 2"), ("inf", "inf"), ("nan", "nan"),
      ("0x10", "0x10"), ("1e", "1e"), (".", "."), ("-", "-"), ("1e5x", "1e5x"), ("'", "'"),
      ("1_000", "1_000"), ("１", "１"),
    ] as [(String, Value)])
  func `parameters are read as literals of SQL`(text: String, value: Value) throws {
    #expect(try ParameterText.value(text) == value)
  }
}
