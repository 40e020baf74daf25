/// Where a segment is read from.
public protocol ByteSource: ~Copyable {
  /// Fills the start of `buffer`, which is not empty, with the next bytes.
  ///
  /// - Returns: how many bytes there were; fewer than asked for is no sign of the end, 0 is.
  mutating func read(into buffer: UnsafeMutableRawBufferPointer) throws -> Int
}
