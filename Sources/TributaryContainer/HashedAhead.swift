import TributaryFiles
import TributaryLog

/// A large file that another thread reads and hashes while its contents are used. Hashing takes as long as
/// using them.
package final class HashedAhead: ReadableFile {
  /// The hash of the bytes read so far.
  ///
  /// The unchecked Sendable conformance is safe: before the end of the file, only the reading thread uses it;
  /// after that, only the user of the file.
  private final class Sum: @unchecked Sendable {
    var hash: SegmentHash? = SegmentHash()
    func update(_ bytes: UnsafeRawBufferPointer) { hash?.update(bytes) }
  }

  /// From this size on, in bytes, starting a thread is worthwhile.
  private static let leastByteCount: UInt64 = 1 << 20

  private let file: FileAhead
  private let sum = Sum()

  /// Starts reading a file from its current position. Nothing else may use the file any more.
  ///
  /// - Returns: `nil` if the file is small or of unknown size, or no thread can be started. The file is then
  ///   unchanged.
  package init?(_ file: any ReadableFile) {
    guard (file.openedByteCount ?? 0) >= Self.leastByteCount else { return nil }
    let sum = sum
    // Without a thread, the file is hashed as it is read.
    guard let ahead = try? FileAhead(file, noting: { sum.update($0) }) else { return nil }
    self.file = ahead
  }

  package func read(into buffer: UnsafeMutableRawBufferPointer) throws(FileError) -> Int {
    try file.read(into: buffer)
  }

  package func close() { file.close() }

  /// Returns the content hash, once `read` has returned 0; `nil` the next time.
  package func takeHash() -> UInt64? {
    switch sum.hash.take() {
    case .some(let hash): hash.finish()
    case .none: nil
    }
  }
}
