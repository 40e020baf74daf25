/// A file of a simulated disk: what a process sees of it, and what a power cut leaves.
///
/// Several names, now and after a power cut, may lead to it.
final class SimulatedFile {
  /// Stays the same as long as it is written in place.
  let inode: UInt64
  private(set) var bytes: [UInt8]
  /// What is on the platter; `nil` while nothing was ever synchronised.
  private(set) var durable: [UInt8]?
  /// In milliseconds since 1970.
  var modified: UInt64

  init(inode: UInt64, bytes: [UInt8] = [], modified: UInt64) {
    self.inode = inode
    self.bytes = bytes
    self.modified = modified
  }

  func append(_ more: UnsafeRawBufferPointer) { bytes.append(contentsOf: more) }

  /// Writes it anew in place.
  func replace(_ new: [UInt8]) { bytes = new }

  func synchronize() { durable = bytes }

  /// What is left after a power cut: what was synchronised, or, of what was not, anything that
  /// file systems leave: nothing, a part, or blocks of zeros under the right size.
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
        // The last pages did not get there.
        let kept = count == 0 ? 0 : random.number(0...count - 1)
        bytes = bytes.prefix(kept) + [UInt8](repeating: 0, count: count - kept)
      }
    }
    durable = bytes
  }
}
