/// Where a segment is written to: a file, memory, a counter.
public protocol ByteSink: ~Copyable {
  /// Takes all the bytes, or throws.
  mutating func write(_ bytes: UnsafeRawBufferPointer) throws
}
