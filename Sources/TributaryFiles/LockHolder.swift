internal import Glibc

/// A process that locks part of a file against others with a POSIX lock, as far as the system reports it.
///
/// Trying to take the lock would need a descriptor, and closing that descriptor would release all locks of
/// this process on the file.
///
/// Source: proc_locks(5)
package struct LockHolder: Hashable, Sendable {
  package var process: Int32
  /// The name of the process; empty if it is unknown.
  package var name: String

  /// Returns the process that holds an exclusive lock on a byte of a file; `nil` if there is none, or if the
  /// system does not report it.
  ///
  /// - Parameter files: the file system of this machine.
  package static func find(
    path: String, byte: UInt64, _ files: any FileSystem
  ) -> LockHolder? {
    // The kernel returns the list page by page, and omits locks if others are released in between.
    for _ in 0..<readings {
      if let holder = findOnce(path: path, byte: byte, files) { return holder }
    }
    return nil
  }

  private static let readings = 8

  private static func findOnce(
    path: String, byte: UInt64, _ files: any FileSystem
  ) -> LockHolder? {
    var status = stat()
    // Without the kernel's list, the holder is unknown, and the message has no name.
    guard stat(path, &status) == 0, let bytes = try? files.read("/proc/locks", limit: limit) else {
      return nil
    }
    let device = UInt64(status.st_dev)
    let major = device >> 8 & 0xfff | device >> 32 & ~0xfff
    let minor = device & 0xff | device >> 12 & ~0xff
    for line in bytes.split(separator: UInt8(ascii: "\n")) {
      let fields = String(decoding: line, as: UTF8.self).split(separator: " ")
      // An arrow in the line marks a process that is waiting for the lock.
      guard fields.count == 8, fields[1] == "POSIX", fields[3] == "WRITE",
        let process = Int32(fields[4]), process > 0, let first = UInt64(fields[6])
      else { continue }
      let file = fields[5].split(separator: ":")
      guard file.count == 3, UInt64(file[0], radix: 16) == major,
        UInt64(file[1], radix: 16) == minor, UInt64(file[2]) == UInt64(status.st_ino),
        first <= byte, fields[7] == "EOF" || UInt64(fields[7]).map({ byte <= $0 }) == true
      else { continue }
      return LockHolder(process: process, name: name(of: process, files))
    }
    return nil
  }

  private static let limit = 1 << 20

  private static func name(of process: Int32, _ files: any FileSystem) -> String {
    // The process may have ended, or be hidden from this one.
    let bytes = (try? files.read("/proc/\(process)/comm", limit: 4096)) ?? []
    return String(decoding: bytes.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
  }
}
