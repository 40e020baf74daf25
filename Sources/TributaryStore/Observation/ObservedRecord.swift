/// The changes of a transaction as they were recorded, unless there were too many to keep.
struct ObservedRecord {
  /// If there are more bytes than this, they are not kept.
  static let byteLimit = 4 << 20

  /// The changes in the log format; `nil` if there are too many.
  let changes: [UInt8]?

  init(_ changes: UnsafeRawBufferPointer) {
    self.changes = changes.count <= Self.byteLimit ? Array(changes) : nil
  }
}
