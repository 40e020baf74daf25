import TributaryFiles
import TributaryLog

/// Writes a segment into a file that is not visible yet. Copies of the sink write into the same
/// file.
package struct SegmentFileSink: ByteSink {
  private let file: any TemporaryFile
  private let counter = Counter()

  private final class Counter {
    var count: UInt64 = 0
  }

  init(_ file: any TemporaryFile) { self.file = file }

  /// The number of bytes written.
  package var byteCount: UInt64 { counter.count }

  /// Writes the bytes.
  ///
  /// - Throws: `ContainerError`.
  package mutating func write(_ bytes: UnsafeRawBufferPointer) throws {
    do {
      try file.write(bytes)
    } catch {
      throw ContainerError(error)
    }
    counter.count += UInt64(bytes.count)
  }
}
