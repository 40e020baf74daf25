import Foundation
import Testing
import TributaryKeyValue
import TributaryTesting

struct PropertyListTests {
  private static func random(_ random: inout SeededGenerator, depth: Int = 0) -> PropertyListValue {
    switch Int.random(in: 0..<(depth < 4 ? 8 : 6), using: &random) {
    case 0:
      return .string(
        ["", "a", "grün", "日本", "e\u{301}", "\0", String(repeating: "x", count: 300)].randomElement(
          using: &random)!)
    case 1:
      return .integer(
        [0, 1, 255, 256, 65535, 65536, -1, .max, .min, 1 << 32].randomElement(using: &random)!)
    case 2: return .real([0, -0.0, 1.5, .infinity, 1e300].randomElement(using: &random)!)
    case 3: return .bool(.random(using: &random))
    case 4: return .date([0, -1e9, 0.1].randomElement(using: &random)!)
    case 5:
      return .data((0..<Int.random(in: 0..<40, using: &random)).map { UInt8($0) })
    case 6:
      return .array(
        (0..<Int.random(in: 0..<20, using: &random)).map { _ in
          Self.random(&random, depth: depth + 1)
        })
    default:
      var members: [String: PropertyListValue] = [:]
      for number in 0..<Int.random(in: 0..<20, using: &random) {
        members["k\(number)"] = Self.random(&random, depth: depth + 1)
      }
      return .dictionary(members)
    }
  }

  @Test func `what is written in binary reads the same, here and in Foundation`() throws {
    try withSeeds(0..<200) { random in
      let value = PropertyListValue.array([Self.random(&random)])
      let bytes = BinaryPropertyListWriter.bytes(of: value)
      #expect(BinaryPropertyListReader.value(bytes) == value, "\(random)")
      let read = try PropertyListSerialization.propertyList(from: Data(bytes), format: nil)
      let again = try PropertyListSerialization.data(
        fromPropertyList: read, format: .binary, options: 0)
      #expect(BinaryPropertyListReader.value([UInt8](again)) == value, "\(random)")
    }
  }

  @Test func `cut or changed bytes are no value, or another one`() throws {
    try withSeeds(0..<60) { random in
      let value = PropertyListValue.array([Self.random(&random), .string("end")])
      let bytes = BinaryPropertyListWriter.bytes(of: value)
      for count in 0..<bytes.count where count < 60 || count > bytes.count - 60 {
        #expect(BinaryPropertyListReader.value(Array(bytes.prefix(count))) != value, "\(random)")
      }
      for _ in 0..<200 {
        var changed = bytes
        changed[Int.random(in: changed.indices, using: &random)] = .random(
          in: 0...255, using: &random)
        _ = BinaryPropertyListReader.value(changed)
      }
    }
  }

  @Test func `a list that contains itself, or unfolds without end, is refused`() {
    // An array whose element is the array.
    var bytes = Array("bplist00".utf8) + [0xA1, 0x00, 0x08]
    bytes += [0, 0, 0, 0, 0, 0, 1, 1] + [0, 0, 0, 0, 0, 0, 0, 1] + [UInt8](repeating: 0, count: 8)
    bytes += [0, 0, 0, 0, 0, 0, 0, 10]
    #expect(BinaryPropertyListReader.value(bytes) == nil)
    // Each of 30 arrays has the next one four times.
    var list = Array("bplist00".utf8)
    var offsets: [UInt8] = []
    for number in 0..<30 {
      offsets.append(UInt8(list.count))
      list += [0xA4] + [UInt8](repeating: UInt8(number + 1), count: 4)
    }
    offsets.append(UInt8(list.count))
    list.append(0x09)
    let start = UInt8(list.count)
    list += offsets + [0, 0, 0, 0, 0, 0, 1, 1] + [0, 0, 0, 0, 0, 0, 0, 31]
    list += [UInt8](repeating: 0, count: 8) + [0, 0, 0, 0, 0, 0, 0, start]
    #expect(BinaryPropertyListReader.value(list) == nil)
  }

  @Test func `json keeps what property lists know`() throws {
    let text =
      #"{"a":[1,2.0,true,false,{"blob":"00ff"},{"date":"1965-03-04T05:06:07.123Z"}],"b":{}}"#
    let value = try PropertyListJSONReader.value(text)
    #expect(value.json == text)
    let date = try #require(DateText.date("1965-03-04T05:06:07.123Z"))
    #expect(
      value
        == .dictionary([
          "a": .array([
            .integer(1), .real(2), .bool(true), .bool(false), .data([0, 255]), .date(date),
          ]), "b": .dictionary([:]),
        ]))
  }

  @Test(arguments: [
    ("null", 0), ("[1,null]", 3), ("{", 1), ("[1", 2), ("\"a", 0), ("1 2", 2), ("", 0),
    ("{\"a\":1,\"a\":2}", 12), ("nan", 0), ("[\"\\u12\"]", 1),
  ])
  func `json that cannot be stored is refused with its place`(text: String, offset: Int) {
    do {
      let value = try PropertyListJSONReader.value(text)
      Issue.record("\(text) was read as \(value)")
    } catch {
      #expect(error.offset == offset, "\(text): \(error.message)")
    }
  }

  @Test(arguments: [
    "0001-01-01T00:00:00.000Z", "1600-02-29T23:59:59.999Z", "1969-12-31T23:59:59.000Z",
    "1970-01-01T00:00:00.001Z", "2001-01-01T00:00:00.000Z", "2026-11-26T10:11:12.345Z",
    "9999-12-31T23:59:59.999Z",
  ])
  func `dates read as they are written`(text: String) throws {
    let date = try #require(DateText.date(text))
    #expect(DateText.text(date) == text)
    // Before 1582, Foundation has another calendar.
    if date < -13_000_000_000 { return }
    let format = Date.ISO8601FormatStyle(includingFractionalSeconds: true)
    #expect(abs(try format.parse(text).timeIntervalSinceReferenceDate - date) < 0.0005)
  }
}
