internal import Glibc

/// A process that keeps others from a part of a file by a lock of POSIX, as far as the system tells.
///
/// Asking for a lock would need a descriptor, and closing that one would let go of all locks that this process
/// itself has on the file.
///
/// Source: proc_locks(5)
public struct LockHolder: Hashable, Sendable {
  public var process: Int32
  /// What it is called; empty where that is not known.
  public var name: String

  /// Who has a byte of a file locked against everybody; `nil` where nobody has, or the system does not tell.
  ///
  /// - Parameter files: of this machine.
  public static func find(
    path: String, byte: UInt64, _ files: any FileSystem
  ) -> LockHolder? {
    var status = stat()
    // Without the kernel's list nobody knows the holder; the message then does without a name.
    guard stat(path, &status) == 0, let bytes = try? files.read("/proc/locks", limit: limit) else {
      return nil
    }
    let device = UInt64(status.st_dev)
    let major = device >> 8 & 0xfff | device >> 32 & ~0xfff
    let minor = device & 0xff | device >> 12 & ~0xff
    for line in bytes.split(separator: UInt8(ascii: "\n")) {
      let fields = String(decoding: line, as: UTF8.self).split(separator: " ")
      // With an arrow in between, it waits.
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
    // It may have ended, or be none of ours to ask about.
    let bytes = (try? files.read("/proc/\(process)/comm", limit: 4096)) ?? []
    return String(decoding: bytes.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
  }
}
