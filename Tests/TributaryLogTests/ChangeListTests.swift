import Testing
import TributaryCore
import TributaryFuzzing
import TributaryLog
import TributaryTesting

struct ChangeListTests {
  static let shapes: [UInt32: TableShape] = [
    1: HostileSegment.shape,
    900: TableShape(table: "wide", columns: (0..<40).map { "c\($0)" }, keys: [.init(column: 0)]),
  ]

  private func list(_ bytes: UnsafeRawBufferPointer) throws -> [SegmentModel.Change] {
    var reader = ChangeListReader(bytes)
    var changes: [SegmentModel.Change] = []
    while let view = try reader.next(layout: { Self.shapes[$0].map { ShapeLayout($0) } }) {
      changes.append(try SegmentModel.Change(view))
    }
    return changes
  }

  @Test(arguments: UInt64(1)...20)
  func `changes are listed as they were written, and cut off ones are not`(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let changes = (0..<12).map { index in
      SegmentModel.Change(random: &random, shape: index % 2 == 0 ? 1 : 900, shapes: Self.shapes)
    }
    var buffer = ByteBuffer()
    var ends: Set<Int> = [0]
    for change in changes {
      change.encode(into: &buffer)
      ends.insert(buffer.count)
    }
    #expect(try list(buffer.bytes) == changes)
    for count in 0..<min(buffer.count, 2000) where !ends.contains(count) {
      let error = #expect(throws: LogError.self) {
        try list(.init(rebasing: buffer.bytes[..<count]))
      }
      #expect(error?.code == .truncated)
    }
  }

  @Test(
    arguments: [[3], [4, 2], [4, 1, 10, 0, 0], [7, 0], [4, 0x80, 0], [5, 1, 11, 4]] as [[UInt8]])
  func `something else than a change is malformed`(bytes: [UInt8]) {
    let error = #expect(throws: LogError.self) { try bytes.withUnsafeBytes { try list($0) } }
    #expect(error?.code == .malformed)
  }
}
