import Foundation
import Glibc
import Testing
import TributaryCommand
import TributaryTesting

/// Metrics as a file and on a socket.
struct MetricsOutputTests {
  /// The answer of a socket.
  private func ask(_ path: String, _ request: String) throws -> String {
    let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
    defer { close(descriptor) }
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: Array(path.utf8)) }
    let result = withUnsafePointer(to: address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
    guard result == 0 else { throw HarnessFailure("nobody listens at \(path)") }
    _ = send(descriptor, request, request.utf8.count, 0)
    shutdown(descriptor, Int32(SHUT_WR))
    var answer: [UInt8] = []
    var part = [UInt8](repeating: 0, count: 4096)
    while case let count = recv(descriptor, &part, part.count, 0), count > 0 {
      answer += part[..<count]
    }
    return String(decoding: answer, as: UTF8.self)
  }

  @Test func `a file is there from the beginning, and has the last state in the end`() throws {
    try withStores { stores in
      let file = stores.directory + "/tributary.prom"
      let service = try ServiceProcess(
        stores, #"{"stores": ["a.db", "b.db"], "metrics": "tributary.prom"}"#)
      try service.next("started")
      #expect(FileManager.default.fileExists(atPath: file))
      stores.sql("a", "INSERT INTO tracks VALUES (1, 'one', 1.0, NULL)")
      try service.next("imported")
      try service.end()
      let text = try String(contentsOfFile: file, encoding: .utf8)
      let label = #"{store="\#(stores.path("b"))"}"#
      #expect(text.contains("tributary_imported_transactions_total\(label) 1\n"))
      #expect(text.contains("tributary_imported_rows_total\(label) 1\n"))
      for line in text.split(separator: "\n") where !line.hasPrefix("#") {
        #expect(
          line.wholeMatch(of: /tributary_[a-z_]+(\{store="[^"]*"\})? [0-9.]+/) != nil, "\(line)")
      }
    }
  }

  @Test func `a socket answers with HTTP, or without, and is gone in the end`() throws {
    try withStores { stores in
      // Paths of sockets are short.
      let path = "/tmp/tributary-metrics-\(getpid())"
      defer { unlink(path) }
      let watch = try CommandProcess([
        "sync", stores.path("a"), "--watch", "--metrics", "unix:\(path)",
      ])
      try eventually { (try? ask(path, "GET /metrics HTTP/1.1\r\n\r\n"))?.isEmpty == false }
      let answer = try ask(path, "GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n")
      let parts = answer.components(separatedBy: "\r\n\r\n")
      try #require(parts.count == 2)
      #expect(parts[0].hasPrefix("HTTP/1.0 200 OK\r\nContent-Type: text/plain; version=0.0.4"))
      #expect(parts[0].contains("Content-Length: \(parts[1].utf8.count)\r\n"))
      #expect(parts[1].contains("tributary_stores "))
      #expect(try ask(path, "").hasPrefix("# HELP tributary_stores "))
      watch.send(SIGTERM)
      #expect(try watch.finish().status == 0)
      #expect(!FileManager.default.fileExists(atPath: path))
    }
  }

  @Test func `what a killed process has left does not prevent the next one`() throws {
    try withStores { stores in
      let path = "/tmp/tributary-metrics-left-\(getpid())"
      defer { unlink(path) }
      for signal in [SIGKILL, SIGTERM] {
        let watch = try CommandProcess([
          "sync", stores.path("a"), "--watch", "--metrics", "unix:\(path)",
        ])
        try eventually { (try? ask(path, ""))?.isEmpty == false }
        watch.send(signal)
        _ = try watch.finish()
      }
    }
  }

  @Test func `a place that cannot be written is refused at the start`() throws {
    try withStores { stores in
      let end = try CommandProcess([
        "sync", stores.path("a"), "--watch", "--metrics", "\(stores.directory)/nowhere/x.prom",
      ]).finish()
      #expect(end.status == 1 && end.errors.contains("nowhere/x.prom"))
    }
  }
}
