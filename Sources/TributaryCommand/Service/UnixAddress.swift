import Glibc
import TributaryFiles

/// The address of a socket of this machine. *unix(7)*
struct UnixAddress {
  private var address = sockaddr_un()
  private let length: socklen_t

  /// Makes the address for a path, or for an abstract name if it begins with `@`.
  ///
  /// - Throws: `FileError` if it is too long.
  init(_ path: String) throws(FileError) {
    address.sun_family = sa_family_t(AF_UNIX)
    var bytes = Array(path.utf8)
    let isAbstract = bytes.first == UInt8(ascii: "@")
    if isAbstract { bytes[0] = 0 }
    let most = MemoryLayout.size(ofValue: address.sun_path) - 1
    guard bytes.count <= most, !bytes.isEmpty else {
      throw FileError(operation: "bind", path: path, code: ENAMETOOLONG)
    }
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
    let start = MemoryLayout<sockaddr_un>.offset(of: \.sun_path) ?? 2
    length = socklen_t(start + bytes.count + (isAbstract ? 0 : 1))
  }

  func withAddress<Result>(_ body: (UnsafePointer<sockaddr>, socklen_t) -> Result) -> Result {
    withUnsafePointer(to: address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, length) }
    }
  }
}
