/// Reads from memory.
package struct MemorySource: ByteSource, Sendable {
  private let bytes: [UInt8]
  private let step: Int
  private var offset = 0

  /// Makes a source.
  ///
  /// - Parameter step: the largest number of bytes that one read returns.
  /// - Precondition: `step` is at least 1.
  package init(_ bytes: [UInt8], step: Int = .max) {
    precondition(step > 0)
    self.bytes = bytes
    self.step = step
  }

  package mutating func read(into buffer: UnsafeMutableRawBufferPointer) -> Int {
    let count = min(buffer.count, step, bytes.count - offset)
    bytes.withUnsafeBytes {
      buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: $0[offset..<offset + count]))
    }
    offset += count
    return count
  }
}
