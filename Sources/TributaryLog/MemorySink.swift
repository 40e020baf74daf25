/// Keeps in memory what is written.
public struct MemorySink: ByteSink, Sendable {
  /// All that was written.
  public private(set) var bytes: [UInt8] = []

  public init() {}

  public mutating func write(_ bytes: UnsafeRawBufferPointer) {
    self.bytes.append(contentsOf: bytes)
  }
}
