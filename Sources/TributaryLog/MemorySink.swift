/// Keeps the written bytes in memory.
public struct MemorySink: ByteSink, Sendable {
  /// All bytes written.
  public private(set) var bytes: [UInt8] = []

  public init() {}

  public mutating func write(_ bytes: UnsafeRawBufferPointer) {
    self.bytes.append(contentsOf: bytes)
  }
}
