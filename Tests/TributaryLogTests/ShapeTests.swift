import Testing
import TributaryCore
import TributaryLog

struct ShapeTests {
  static let shape = TableShape(
    table: "tracks", columns: ["id", "Titel", "größe"],
    keys: [.init(column: 2, collation: .rtrim), .init(column: 0, collation: .nocase)])

  @Test func `a shape comes back from its bytes`() throws {
    let bytes = try Self.shape.encoded()
    #expect(try bytes.withUnsafeBytes { try TableShape(decoding: $0) } == Self.shape)
  }

  @Test func `every strict prefix of a shape is truncated, and more is malformed`() throws {
    let bytes = try Self.shape.encoded()
    for count in bytes.indices {
      let error = #expect(throws: LogError.self) {
        try bytes[..<count].withUnsafeBytes { try TableShape(decoding: $0) }
      }
      #expect(error?.code == .truncated)
    }
    let error = #expect(throws: LogError.self) {
      try (bytes + [0]).withUnsafeBytes { try TableShape(decoding: $0) }
    }
    #expect(error?.code == .malformed)
  }

  @Test func `names are compared as bytes`() {
    var other = Self.shape
    other.columns[2] = "gro\u{308}ße"
    #expect(other.columns == Self.shape.columns)
    #expect(other != Self.shape)
    #expect(Set([other, Self.shape]).count == 2)
  }

  @Test func `a shape of all the columns there can be is taken, and not one more`() throws {
    let columns = (0..<32767).map { "c\($0)" }
    let shape = TableShape(table: "wide", columns: columns, keys: [.init(column: 32766)])
    #expect(ShapeLayout(shape).columnCount == 32767)
    let bytes = try shape.encoded()
    #expect(try bytes.withUnsafeBytes { try TableShape(decoding: $0) } == shape)
    let wider = TableShape(table: "wide", columns: columns + ["x"], keys: shape.keys)
    #expect(throws: LogError.self) { try wider.encoded() }
  }

  @Test func `what the format does not allow is not written`() {
    let shapes = [
      TableShape(table: "t", columns: [], keys: []),
      TableShape(table: "t", columns: ["a"], keys: []),
      TableShape(table: "t", columns: ["a"], keys: [.init(column: 1)]),
      TableShape(table: "t", columns: ["a"], keys: [.init(column: -1)]),
      TableShape(table: "t", columns: ["a", "b"], keys: [.init(column: 1), .init(column: 1)]),
      TableShape(table: "t", columns: ["a", "A"], keys: [.init(column: 0)]),
      TableShape(
        table: String(repeating: "t", count: 4097), columns: ["a"], keys: [.init(column: 0)]),
    ]
    for shape in shapes { #expect(throws: LogError.self) { try shape.encoded() } }
  }

  @Test func `layouts are found by any id`() {
    var layouts = ShapeLayouts()
    for id: UInt32 in [0, 1, 500, 65535, 65536, .max] {
      #expect(layouts[id] == nil)
      layouts[id] = ShapeLayout(columnCount: 5, keyCount: 2)
      #expect(layouts[id]?.columnCount == 5 && layouts[id]?.keyCount == 2)
    }
    #expect(layouts[2] == nil && layouts[65537] == nil)
    layouts[1] = nil
    #expect(layouts[1] == nil)
  }
}
