import Glibc

/// Where a page is served: an address of this machine and a port.
struct PageAddress: Equatable {
  /// The host as in `http://host:port/`; an IPv6 address is in brackets.
  let host: String
  let port: UInt16
  /// Whether only this machine can reach it.
  let isLoopback: Bool

  /// Reads `PORT` or `HOST:PORT`, where the host is `localhost` or an address of this machine.
  ///
  /// - Throws: an error that names the text and what would be right.
  init(_ text: String) throws(TextError) {
    let refusal = TextError(
      "'\(text)' is not an address for the page; write a port such as 8080, or an address of this machine with one, such "
        + "as 127.0.0.1:8080 or [::1]:8080")
    let digits = text.utf8.reversed().prefix { $0 != UInt8(ascii: ":") }.reversed()
    guard !digits.isEmpty, digits.allSatisfy({ (0x30...0x39).contains($0) }),
      let port = UInt16(String(decoding: digits, as: UTF8.self))
    else { throw refusal }
    self.port = port
    var host = String(decoding: text.utf8.dropLast(digits.count), as: UTF8.self)
    if host.hasSuffix(":") { host.removeLast() } else if !host.isEmpty { throw refusal }
    if host.isEmpty && !text.hasPrefix(":") || host == "localhost" { host = "127.0.0.1" }
    var address = in_addr()
    var longAddress = in6_addr()
    if inet_pton(AF_INET, host, &address) == 1 {
      isLoopback = UInt32(bigEndian: address.s_addr) >> 24 == 127
    } else if host.hasPrefix("["), host.hasSuffix("]"),
      inet_pton(AF_INET6, String(host.dropFirst().dropLast()), &longAddress) == 1
    {
      isLoopback = withUnsafeBytes(of: longAddress) {
        $0.dropLast().allSatisfy { $0 == 0 } && $0.last == 1
      }
    } else {
      throw refusal
    }
    self.host = host
  }

  /// Calls `body` with the address in the system's form.
  func withAddress<Result>(
    _ body: (UnsafePointer<sockaddr>) throws -> Result
  ) rethrows -> Result {
    if host.hasPrefix("[") {
      var address = sockaddr_in6()
      address.sin6_family = sa_family_t(AF_INET6)
      address.sin6_port = port.bigEndian
      inet_pton(AF_INET6, String(host.dropFirst().dropLast()), &address.sin6_addr)
      return try withUnsafePointer(to: &address) {
        try $0.withMemoryRebound(to: sockaddr.self, capacity: 1, body)
      }
    }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    inet_pton(AF_INET, host, &address.sin_addr)
    return try withUnsafePointer(to: &address) {
      try $0.withMemoryRebound(to: sockaddr.self, capacity: 1, body)
    }
  }
}
