/// The changes of a transaction as they were recorded, or were not kept because there are too many.
struct ObservedRecord {
  /// More bytes than this are not kept.
  static let byteLimit = 4 << 20

  /// The changes in the log format; `nil` if there are too many.
  let changes: [UInt8]?

  init(_ changes: UnsafeRawBufferPointer) {
    self.changes = changes.count <= Self.byteLimit ? Array(changes) : nil
  }
}
