import Synchronization
import Testing
import TributaryFiles
import TributaryTesting

struct FileAheadTests {
  /// A file of numbered bytes that is read in pieces of any size, and may fail.
  private final class Pieces: ReadableFile {
    private let bytes: [UInt8]
    private let failsAt: Int?
    private var random: SeededGenerator
    private var position = 0
    let isClosed = Mutex(false)

    init(_ bytes: [UInt8], seed: UInt64, failsAt: Int? = nil) {
      self.bytes = bytes
      self.failsAt = failsAt
      random = SeededGenerator(seed: seed)
    }

    func read(into buffer: UnsafeMutableRawBufferPointer) throws(FileError) -> Int {
      if isClosed.withLock({ $0 }) { throw FileError(operation: "read", path: "closed", code: 9) }
      if let failsAt, position >= failsAt {
        throw FileError(operation: "read", path: "pieces", code: 5)
      }
      let most = min(buffer.count, bytes.count - position)
      let count = most == 0 ? 0 : Int.random(in: 1...most, using: &random)
      buffer.copyBytes(from: bytes[position..<position + count])
      position += count
      return count
    }

    func close() { isClosed.withLock { $0 = true } }
  }

  private func bytes(_ count: Int, _ seed: UInt64) -> [UInt8] {
    var random = SeededGenerator(seed: seed)
    return (0..<count).map { _ in UInt8.random(in: 0...255, using: &random) }
  }

  /// Reads to the end, in pieces of any size.
  private func read(_ file: FileAhead, _ seed: UInt64) throws -> [UInt8] {
    var random = SeededGenerator(seed: seed)
    var found: [UInt8] = []
    while true {
      let size = Int.random(in: 1...700_000, using: &random)
      let piece = try withUnsafeTemporaryAllocation(byteCount: size, alignment: 1) { buffer in
        Array(buffer[..<(try file.read(into: buffer))])
      }
      if piece.isEmpty { return found }
      found += piece
    }
  }

  @Test(arguments: [0, 1, 128 << 10, 3_000_001] as [Int], [1, 2, 3] as [UInt64])
  func `the bytes come in their order, and are noted in that order before the end`(
    count: Int, seed: UInt64
  ) throws {
    let bytes = bytes(count, seed)
    let noted = Mutex<[UInt8]>([])
    let base = Pieces(bytes, seed: seed)
    let file = try FileAhead(base) { piece in noted.withLock { $0 += piece } }
    #expect(try read(file, seed + 1) == bytes)
    #expect(noted.withLock { $0 } == bytes)
    #expect(try read(file, seed) == [])
    file.close()
    #expect(base.isClosed.withLock { $0 })
    #expect(throws: FileError.self) { try read(file, seed) }
  }

  @Test func `what was read before a failure comes first`() throws {
    let bytes = bytes(2_000_000, 7)
    let file = try FileAhead(Pieces(bytes, seed: 7, failsAt: 1_000_000)) { _ in }
    var found: [UInt8] = []
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 10_000, alignment: 1)
    defer { buffer.deallocate() }
    let error = #expect(throws: FileError.self) {
      while true { found += buffer[..<(try file.read(into: buffer))] }
    }
    #expect(error?.code == 5)
    #expect(found.count >= 1_000_000)
    #expect(found == Array(bytes.prefix(found.count)))
  }

  @Test func `a file that nobody reads to its end is closed`() throws {
    let base = Pieces(bytes(5_000_000, 8), seed: 8)
    do {
      let file = try FileAhead(base) { _ in }
      let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 10, alignment: 1)
      defer { buffer.deallocate() }
      #expect(try file.read(into: buffer) > 0)
    }
    #expect(base.isClosed.withLock { $0 })
  }
}
