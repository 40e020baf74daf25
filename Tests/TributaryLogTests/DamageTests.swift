import Testing
import TributaryCore
import TributaryFuzzing
import TributaryLog
import TributaryTesting

struct DamageTests {
  static let small = Result { try SegmentModel.workedExample.written().bytes }

  @Test(arguments: [1, 64, .max])
  func `every strict prefix is reported as truncated`(step: Int) throws {
    let bytes = try Self.small.get()
    for count in bytes.indices {
      let error = problem(Array(bytes[..<count]), step: step)
      #expect(error?.code == .truncated, "\(count) bytes: \(String(describing: error))")
    }
    #expect(problem(bytes, step: step) == nil)
  }

  @Test func `every flipped bit is detected`() throws {
    let bytes = try Self.small.get()
    for index in bytes.indices {
      for bit in 0..<8 {
        var flipped = bytes
        flipped[index] ^= 1 << bit
        #expect(problem(flipped) != nil, "bit \(bit) of byte \(index)")
      }
    }
  }

  @Test func `every byte set to zero or to 255 is detected`() throws {
    let bytes = try Self.small.get()
    for index in bytes.indices {
      for value: UInt8 in [0, 0xFF] where bytes[index] != value {
        var changed = bytes
        changed[index] = value
        #expect(problem(changed) != nil, "\(value) in byte \(index)")
      }
    }
  }

  @Test func `flipped bytes of a segment of many blocks are detected`() throws {
    let bytes = try SegmentModel(seed: 21, transactionCount: 50, changesUpTo: 30).written().bytes
    #expect(bytes.count > 1 << 20)
    var random = SeededGenerator(seed: 22)
    for _ in 0..<60 {
      var flipped = bytes
      flipped[Int.random(in: bytes.indices, using: &random)] ^= .random(in: 1...255, using: &random)
      #expect(problem(flipped) != nil)
    }
  }

  @Test func `random bytes are no segment`() {
    var random = SeededGenerator(seed: 30)
    for count in 0..<300 {
      let bytes = random.bytes(count: count)
      #expect(problem(bytes) != nil)
    }
  }

  @Test func `changes with random damage are read or rejected, never worse`() throws {
    var random = SeededGenerator(seed: 31)
    var buffer = ByteBuffer()
    for _ in 0..<12 {
      let change = SegmentModel.Change(random: &random, shape: 1, shapes: [1: HostileSegment.shape])
      change.encode(into: &buffer)
    }
    let changes = Array(buffer.bytes)
    #expect(problem(try HostileSegment.segment(changes: changes, count: 12)) == nil)
    for _ in 0..<3000 {
      var damaged = changes
      for _ in 0..<Int.random(in: 1...3, using: &random) {
        let index = Int.random(in: damaged.indices, using: &random)
        switch Int.random(in: 0..<3, using: &random) {
        case 0: damaged[index] = .random(in: 0...255, using: &random)
        case 1: damaged.remove(at: index)
        default: damaged.insert([7, 11, 0xFF].randomElement(using: &random) ?? 0, at: index)
        }
      }
      _ = problem(try HostileSegment.segment(changes: damaged, count: 12), step: 333)
    }
  }

  @Test func `an error is thrown again by every later call`() throws {
    var bytes = try Self.small.get()
    bytes[bytes.count - 1] ^= 1
    var reader = try SegmentReader(source: MemorySource(bytes))
    #expect(throws: LogError.self) { while try reader.nextTransaction() != nil {} }
    #expect(throws: LogError.self) { try reader.nextTransaction() }
    #expect(throws: LogError.self) { try reader.nextChange()?.shapeID }
  }
}
