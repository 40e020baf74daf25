/// The destination of a segment that is being written: a file, memory, a counter.
package protocol ByteSink: ~Copyable {
  /// Writes all the bytes, or throws.
  mutating func write(_ bytes: UnsafeRawBufferPointer) throws
}
