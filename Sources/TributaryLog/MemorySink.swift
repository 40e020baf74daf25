/// Keeps the written bytes in memory.
package struct MemorySink: ByteSink, Sendable {
  /// All bytes written.
  package private(set) var bytes: [UInt8] = []

  package init() {}

  package mutating func write(_ bytes: UnsafeRawBufferPointer) {
    self.bytes.append(contentsOf: bytes)
  }
}
