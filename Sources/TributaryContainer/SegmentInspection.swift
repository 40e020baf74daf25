import TributaryCore
import TributaryLog

/// Reads a segment once, in bounded memory, for its header and its hash.
struct SegmentInspection: ~Copyable {
  private let source: SegmentFileSource
  private var buffer: ByteBuffer
  private let bufferByteCount: Int
  private var hash = SegmentHash()

  /// Makes an inspection.
  ///
  /// - Parameter bufferByteCount: the number of bytes to read at a time.
  init(_ source: SegmentFileSource, bufferByteCount: Int = 256 << 10) {
    self.source = source
    self.bufferByteCount = bufferByteCount
    buffer = ByteBuffer(capacity: bufferByteCount)
  }

  /// Reads the header; must be called first.
  mutating func header() throws(ContainerError) -> SegmentHeader {
    var isComplete = try fill(bufferByteCount) < bufferByteCount
    while true {
      let prefix: SegmentHeader.Prefix
      do {
        prefix = try SegmentHeader.read(prefix: buffer.bytes)
      } catch {
        throw ContainerError(error, reading: source.path)
      }
      switch prefix {
      case .header(let header, _): return header
      case .needs(let count):
        if isComplete || count <= buffer.count {
          let finding = buffer.isEmpty ? "it is empty" : "it ends after \(buffer.count) bytes"
          throw .damaged(source.path, finding)
        }
        isComplete = try fill(count - buffer.count) < count - buffer.count
      }
    }
  }

  /// Reads to the end and returns the hash of the whole file.
  consuming func finish() throws(ContainerError) -> UInt64 {
    repeat {
      hash.update(buffer.bytes)
      buffer.removeAll()
    } while try fill(bufferByteCount) > 0
    return hash.finish()
  }

  /// Appends up to `count` bytes to the buffer; fewer only at the end of the file.
  private mutating func fill(_ count: Int) throws(ContainerError) -> Int {
    var total = 0
    while total < count {
      let start = buffer.reserve(count - total)
      let room = UnsafeMutableRawBufferPointer(start: start, count: count - total)
      let read = try source.readBytes(into: room)
      if read == 0 { break }
      buffer.advance(by: read)
      total += read
    }
    return total
  }
}
