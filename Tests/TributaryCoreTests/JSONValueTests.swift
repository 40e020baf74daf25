import Testing
import TributaryCore

struct JSONValueTests {
  static let values: [Value] = [
    .null, .integer(0), .integer(.min), .integer(.max), .real(1), .real(-0.0), .real(0.1),
    .real(1e300), .real(.leastNonzeroMagnitude), .real(.infinity), .real(-.infinity), .string(""),
    .string("grün \"quoted\" \\ back\u{0}\u{1}\u{7F}\n\r\tend 🎵"), .text([0xFF, 0x00, 0x41]),
    .blob([]),
    .blob([0, 0xFF, 0x10]), .string("{\"blob\": \"00\"}"),
  ]

  @Test(arguments: values)
  func `what the writer writes comes back`(value: Value) {
    var json = JSONWriter()
    json.value(value)
    #expect(JSONValue(json.bytes) == .value(value), "\(json.text)")
  }

  @Test func `arrays, objects and keys keep their order`() {
    var json = JSONWriter()
    json.object { json in
      json.member("keys") { json in
        json.array { json in
          json.key([.integer(1)])
          json.key([.string("a"), .blob([1])])
        }
      }
      json.member("none") { $0.array { _ in } }
      json.member("flag") { $0.bool(true) }
      json.member("text") { $0.object { $0.member("inserted") { $0.array { _ in } } } }
    }
    #expect(
      JSONValue(json.bytes)
        == .object([
          (
            "keys",
            .array([.value(.integer(1)), .array([.value(.string("a")), .value(.blob([1]))])])
          ),
          ("none", .array([])), ("flag", .value(.integer(1))),
          ("text", .object([("inserted", .array([]))])),
        ]))
    let spaced = json.text.replacing(",", with: " ,\n ").replacing(":", with: " : ")
    #expect(JSONValue(Array(spaced.utf8)) == JSONValue(json.bytes))
  }

  @Test func `no prefix of a text is one, and nothing may follow it`() {
    let text = Array(#"{"a":[1,-2.5e-3,"x\u0001",{"blob":"00ff"}],"b":null}"#.utf8)
    #expect(JSONValue(text) != nil)
    for count in 0..<text.count { #expect(JSONValue(Array(text[..<count])) == nil) }
    #expect(JSONValue(text + [UInt8(ascii: "x")]) == nil)
    #expect(JSONValue(Array(repeating: UInt8(ascii: "["), count: 100_000)) == nil)
  }

  @Test(arguments: [
    (#""\b\f\n\r\t\/\\\"""#, "\u{8}\u{C}\n\r\t/\\\""), (#""\u00e9\u00FF""#, "éÿ"),
    (#""\u0100\u20ac\uFFFF""#, "\u{100}€\u{FFFF}"), (#""\u0000""#, "\0"),
    (#""\uD83C\uDFB5""#, "🎵"), (#""\udbff\udfff""#, "\u{10FFFF}"), (#""é🎵""#, "é🎵"),
  ])
  func `every escape stands for its character`(json: String, text: String) {
    #expect(JSONValue(Array(json.utf8)) == .value(.string(text)))
  }

  @Test(arguments: [
    #""\ud83c""#, #""\udfb5""#, #""\ud83cx""#, #""\ud83c\n""#, #""\ud83c\ud83c""#,
    #""\ud83c\u0041""#,
    #""\udfb5\ud83c""#, #""\x41""#, #""\u12""#, #""\u 041""#, #""\u+041""#, "\"\u{1}\"", "\"\n\"",
    "\u{B}1", "+1", "01", "-", "1.", ".5", "1e", "0x10", "1e999", "9223372036854775808", "inf",
    "nan",
    "True", "--1", "1-2",
  ])
  func `what is no JSON, or no value of ours, is refused`(json: String) {
    #expect(JSONValue(Array(json.utf8)) == nil)
  }

  @Test func `text that is no UTF-8 is refused`() {
    for bytes: [UInt8] in [[0xFF], [0xC3], [0xED, 0xA0, 0x80], [0xC0, 0x80]] {
      #expect(JSONValue([0x22] + bytes + [0x22]) == nil)
    }
  }
}
