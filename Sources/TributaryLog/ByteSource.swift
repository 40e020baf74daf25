/// The source of a segment that is being read.
package protocol ByteSource: ~Copyable {
  /// Fills the start of `buffer`, which is not empty, with the next bytes.
  ///
  /// - Returns: the number of bytes read. Only 0 means the end; fewer bytes than requested do not.
  mutating func read(into buffer: UnsafeMutableRawBufferPointer) throws -> Int
}
