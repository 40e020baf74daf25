internal import TributaryTesting

/// A file of a simulated disk: what a process sees of it, and what a power cut leaves.
///
/// Several names, now and after a power cut, may lead to it.
final class SimulatedFile {
  /// The number, which stays the same while the file is written in place.
  let inode: UInt64
  private(set) var bytes: [UInt8]
  /// The durable contents; `nil` if nothing was ever synchronised.
  private(set) var durable: [UInt8]?
  /// The time of the last modification, in milliseconds since 1970.
  var modified: UInt64
  /// The number of times that the contents were written. It stands for the time that cannot be set.
  private(set) var changeCount: UInt64 = 0

  init(inode: UInt64, bytes: [UInt8] = [], modified: UInt64) {
    self.inode = inode
    self.bytes = bytes
    self.modified = modified
  }

  func append(_ more: UnsafeRawBufferPointer) {
    bytes.append(contentsOf: more)
    changeCount += 1
  }

  /// Replaces the contents in place.
  func replace(_ new: [UInt8]) {
    bytes = new
    changeCount += 1
  }

  func synchronize() { durable = bytes }

  /// Leaves what a power cut leaves: what was synchronised or, otherwise, anything that file
  /// systems may leave, such as nothing, a part, or blocks of zeros with the right size.
  func cutPower(using random: inout SeededGenerator) {
    if durable != bytes {
      let count = bytes.count
      switch random.number(0...5) {
      case 0: break
      case 1: bytes = durable ?? []
      case 2: bytes = []
      case 3: bytes = [UInt8](repeating: 0, count: count)
      case 4 where count > 0: bytes = Array(bytes.prefix(random.number(0...count - 1)))
      default:
        // The last pages were not written.
        let kept = count == 0 ? 0 : random.number(0...count - 1)
        bytes = bytes.prefix(kept) + [UInt8](repeating: 0, count: count - kept)
      }
    }
    durable = bytes
  }
}
