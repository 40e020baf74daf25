/// An operation on a disk, in the order of the operations.
enum DiskOperation: Sendable {
  /// A new file, and its name.
  case create(file: Int, path: String)
  case write(file: Int, offset: Int, bytes: [UInt8])
  case truncate(file: Int, size: Int)
  /// Makes the contents of a file durable.
  case synchronize(file: Int)
  case makeDirectory(String)
  case rename(from: String, to: String)
  case remove(String)
  /// Makes the names in a directory durable.
  case synchronizeDirectory(String)
}
