import Foundation
import Glibc
import Testing
import TributaryCommand
import TributaryTesting

/// What the service says to systemd.
struct ServiceManagerTests {
  /// A socket like that of a service manager.
  private final class NotifySocket {
    let descriptor: Int32

    init(_ path: String) throws {
      descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue), 0)
      var address = sockaddr_un()
      address.sun_family = sa_family_t(AF_UNIX)
      let bytes = Array(path.utf8)
      try #require(bytes.count < MemoryLayout.size(ofValue: address.sun_path))
      withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
      let result = withUnsafePointer(to: address) {
        $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
        }
      }
      try #require(result == 0)
    }

    deinit { close(descriptor) }

    /// Leaves no room for a further message.
    func fill(_ path: String) throws {
      let sender = try NotifySocket(path + "-full")
      defer { unlink(path + "-full") }
      var address = sockaddr_un()
      var size = socklen_t(MemoryLayout<sockaddr_un>.size)
      try withUnsafeMutablePointer(to: &address) { address in
        try address.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
          try #require(getsockname(descriptor, address, &size) == 0)
          while sendto(sender.descriptor, "X=1", 3, Int32(MSG_DONTWAIT), address, size) == 3 {}
        }
      }
      try #require(errno == EAGAIN)
    }

    /// The variables of the next message; waits for it.
    func next() -> [String: String] {
      var buffer = [UInt8](repeating: 0, count: 4096)
      let count = max(0, recv(descriptor, &buffer, buffer.count, 0))
      let lines = String(decoding: buffer[..<count], as: UTF8.self).split(separator: "\n")
      return Dictionary(
        lines.map { line in
          let parts = line.split(separator: "=", maxSplits: 1).map(String.init)
          return (parts[0], parts.count > 1 ? parts[1] : "")
        }, uniquingKeysWith: { $1 })
    }

    func next(_ name: String) -> [String: String] {
      while true {
        let message = next()
        if message[name] != nil { return message }
      }
    }
  }

  @Test func `a manager that does not listen holds up nothing`() throws {
    try withStores { stores in
      let path = "/tmp/tributary-deaf-\(getpid())"
      defer { unlink(path) }
      let socket = try NotifySocket(path)
      try socket.fill(path)
      let service = try ServiceProcess(
        stores, #"{"stores": ["a.db", "b.db"]}"#,
        environment: ["NOTIFY_SOCKET": path, "WATCHDOG_USEC": "2000"])
      try service.next("started")
      stores.sql("a", "INSERT INTO tracks VALUES (1, 'one', 1.0, NULL)")
      try service.next("imported") { $0["store"] == stores.path("b") }
      try service.end()
    }
  }

  @Test func `it says when it is ready, alive, reloading and stopping`() throws {
    try withStores { stores in
      let path = "/tmp/tributary-notify-\(getpid())"
      defer { unlink(path) }
      let socket = try NotifySocket(path)
      let service = try ServiceProcess(
        stores, #"{"stores": ["a.db"]}"#,
        environment: ["NOTIFY_SOCKET": path, "WATCHDOG_USEC": "20000"])
      let ready = socket.next("READY")
      #expect(ready["READY"] == "1" && ready["STATUS"] == "1 store")
      for _ in 0..<3 { #expect(socket.next("WATCHDOG")["WATCHDOG"] == "1") }
      try stores.write(#"{"stores": ["a.db", "b.db"]}"#, to: "serve.json")
      service.process.send(SIGHUP)
      let reloading = socket.next("RELOADING")
      #expect(reloading["RELOADING"] == "1" && Int(reloading["MONOTONIC_USEC"] ?? "") ?? 0 > 0)
      #expect(socket.next("READY")["STATUS"] == "2 stores")
      service.process.send(SIGTERM)
      #expect(socket.next("STOPPING")["STOPPING"] == "1")
      #expect(try service.process.finish().status == 0)
    }
  }
}
