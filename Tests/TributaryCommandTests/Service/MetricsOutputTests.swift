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

  /// What `serve --check` says of a place for metrics.
  private func check(_ target: String, _ stores: StoreFixture) throws -> Invocation {
    try stores.write(#"{"stores": ["a.db", "absent.db"]}"#, to: "serve.json")
    return Invocation(
      "serve", "--config", stores.directory + "/serve.json", "--check", "--metrics", target)
  }

  @Test(arguments: [
    ("a.db", "which the service reads or writes itself; name another file"),
    ("a.db-wal", "which the service reads or writes itself; name another file"),
    ("absent.db", "which the service reads or writes itself; name another file"),
    ("absent.db-shm", "which the service reads or writes itself; name another file"),
    ("absent.db-witness", "which the service reads or writes itself; name another file"),
    ("serve.json", "which the service reads or writes itself; name another file"),
    ("link", "which the service reads or writes itself; name another file"),
    ("b.db", "is there and holds no metrics of Tributary; name another path, or move it away"),
    ("short", "is there and holds no metrics of Tributary; name another path, or move it away"),
    ("directory", "is not a regular file, as metrics are; name another path"),
    ("pipe", "is not a regular file, as metrics are; name another path"),
    ("nothing", "replace the symbolic link by the file itself"),
  ])
  func `metrics replace nothing but metrics`(name: String, reason: String) throws {
    try withStores { stores in
      let path = stores.directory + "/" + name
      try stores.write("# HELP", to: "short")
      try FileManager.default.createDirectory(
        atPath: stores.directory + "/directory", withIntermediateDirectories: false)
      #expect(mkfifo(stores.directory + "/pipe", 0o600) == 0)
      #expect(symlink("a.db", stores.directory + "/link") == 0)
      #expect(symlink("gone", stores.directory + "/nothing") == 0)
      let before = try? Data(contentsOf: URL(filePath: stores.path("b")))
      let run = try check(path, stores)
      #expect(run.status == .failed && run.output.isEmpty)
      #expect(run.errors.contains(path) && run.errors.hasSuffix(reason + "\n"), "\(run.errors)")
      #expect(try Data(contentsOf: URL(filePath: stores.path("b"))) == before)
    }
  }

  @Test(arguments: [
    ("nowhere/x.prom", "make it, or name another path"),
    ("unix:nowhere/x", "make it, or name another path"),
    ("unix:a.db", "is not a socket; remove it, or name another path"),
  ])
  func `a place that is no place for metrics is refused before the start`(
    place: String, reason: String
  ) throws {
    try withStores { stores in
      let isSocket = place.hasPrefix("unix:")
      let path = stores.directory + "/" + place.dropFirst(isSocket ? 5 : 0)
      let run = try check((isSocket ? "unix:" : "") + path, stores)
      #expect(run.status == .failed && run.output.isEmpty)
      #expect(run.errors.contains(path) && run.errors.hasSuffix(reason + "\n"), "\(run.errors)")
    }
  }

  @Test func `metrics may go into a new file, an empty one, earlier metrics, and a link to those`()
    throws
  {
    try withStores { stores in
      try stores.write("", to: "empty")
      try stores.write("# HELP tributary_stores Stores.\n", to: "earlier")
      #expect(symlink("earlier", stores.directory + "/link") == 0)
      for name in ["new", "empty", "earlier", "link", "unix:socket", "unix:@abstract"] {
        let target = name.hasPrefix("unix:") ? name : stores.directory + "/" + name
        let run = try check(target, stores)
        #expect(run.status == .done && run.errors.isEmpty, "\(name): \(run.errors)")
      }
      #expect(!FileManager.default.fileExists(atPath: stores.directory + "/new"))
    }
  }

  @Test func `a link to the file stays, everybody may read it, and the stores are up in the end`()
    throws
  {
    try withStores { stores in
      let file = stores.directory + "/tributary.prom"
      try stores.write("", to: "tributary.prom")
      chmod(file, 0o600)
      #expect(symlink("tributary.prom", stores.directory + "/link.prom") == 0)
      let service = try ServiceProcess(
        stores, #"{"stores": ["a.db", "b.db"], "metrics": "link.prom"}"#)
      try service.next("started")
      #expect(try String(contentsOfFile: file, encoding: .utf8).contains("\ntributary_stores 2\n"))
      for name in ["a", "b"] { try service.next("opened") { $0["store"] == stores.path(name) } }
      try service.end()
      var status = stat()
      #expect(stat(file, &status) == 0 && status.st_mode & 0o7777 == 0o644)
      #expect(lstat(stores.directory + "/link.prom", &status) == 0)
      #expect(status.st_mode & S_IFMT == S_IFLNK)
      let text = try String(contentsOfFile: file, encoding: .utf8)
      #expect(text.contains("\ntributary_stores 2\n"))
      for name in ["a", "b"] {
        #expect(text.contains("tributary_store_up{store=\"\(stores.path(name))\"} 1\n"), "\(text)")
      }
      let names = try FileManager.default.contentsOfDirectory(atPath: stores.directory)
      #expect(!names.contains { $0.hasPrefix(".tributary.prom") })
    }
  }

  @Test func `everybody may connect to the socket, and one that another process has made stays`()
    throws
  {
    try withStores { stores in
      let path = "/tmp/tributary-metrics-open-\(getpid())"
      defer { unlink(path) }
      let words = ["sync", stores.path("a"), "--watch", "--metrics", "unix:\(path)"]
      let watch = try CommandProcess(words)
      try eventually { (try? ask(path, ""))?.isEmpty == false }
      var status = stat()
      #expect(lstat(path, &status) == 0 && status.st_mode & 0o777 == 0o666)
      let refused = try CommandProcess(words).finish()
      #expect(refused.status == 1)
      #expect(
        refused.errors.contains(
          "another process listens at \(path); end it, or name another path"), "\(refused)")
      // As if the socket had been removed by hand, and somebody else listened now.
      unlink(path)
      try Data("another".utf8).write(to: URL(filePath: path))
      watch.send(SIGTERM)
      #expect(try watch.finish().status == 0)
      #expect(FileManager.default.fileExists(atPath: path))
      let other = try CommandProcess(words).finish()
      #expect(other.status == 1)
      #expect(
        other.errors.contains("\(path) is not a socket; remove it, or name another path"),
        "\(other)")
    }
  }

  @Test func `a socket without a path is no place for metrics`() throws {
    try withStores { stores in
      for words in [
        ["serve", "--config", "x", "--metrics", "unix:"],
        ["sync", stores.path("a"), "--watch", "--metrics", "unix:"],
      ] {
        let run = Invocation(words: words)
        #expect(run.status == .usage)
        #expect(
          run.errors.contains("--metrics unix: lacks the path of the socket after 'unix:'"),
          "\(run.errors)")
      }
    }
  }
}
