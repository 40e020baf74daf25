import TributaryFiles
import TributaryLog

/// A large file that another thread reads and hashes while its contents are used: the hash takes as long as that.
package final class HashedAhead: ReadableFile {
  /// The hash of the bytes read so far.
  ///
  /// Sendable although unchecked: only the reading thread uses it before the end of the file, and nobody but the user of
  /// the file after that.
  private final class Sum: @unchecked Sendable {
    var hash: SegmentHash? = SegmentHash()
    func update(_ bytes: UnsafeRawBufferPointer) { hash?.update(bytes) }
  }

  /// From this size on, in bytes, a thread is worth its start.
  private static let leastByteCount: UInt64 = 1 << 20

  private let file: FileAhead
  private let sum = Sum()

  /// Starts reading a file from its present place, which nobody else may use any more.
  ///
  /// - Returns: `nil` if the file is small or of unknown size, or no thread can be started; it is as it was.
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
