import Foundation
import Testing
import TributaryCommand
import TributaryTesting

/// What the commands say where the logs are damaged, or a part of them has not arrived.
struct DamagedLogCommandTests {
  private func exchange(_ stores: StoreFixture) {
    for _ in 0..<2 {
      for name in ["a", "b"] { #expect(Invocation("sync", stores.path(name)).status == .done) }
    }
  }

  /// Has each store write a row, and returns the path of the first segment of `b`.
  private func write(_ stores: StoreFixture) throws -> String {
    stores.sql("b", "INSERT INTO tracks (id, title) VALUES (1, 'x')")
    #expect(Invocation("sync", stores.path("b")).status == .done)
    let path = try #require(try stores.segments().first)
    exchange(stores)
    return path
  }

  @Test func `verify prints the damaged file and exits with 3, and rebuild with 1`() throws {
    try withStores { stores in
      let path = try write(stores)
      var data = try Data(contentsOf: URL(filePath: path))
      data.removeLast(20)
      try data.write(to: URL(filePath: path))
      let verify = Invocation("verify", stores.path("a"))
      #expect(verify.status == .damage)
      #expect(verify.lines.count == 1 && verify.lines[0].hasPrefix("\(path): truncated"))
      #expect(verify.errors.contains("not compared: \(path): is damaged"))
      #expect(verify.errors.contains("`tributary sync --reseed`"))
      let rebuild = Invocation("rebuild", stores.path("a"))
      #expect(rebuild.status == .failed)
      #expect(rebuild.errors.hasPrefix("tributary: \(path): is damaged"))
      #expect(rebuild.errors.contains("`tributary sync --reseed`"))
      try FileManager.default.removeItem(atPath: path)
      let missing = Invocation("verify", stores.path("a"))
      #expect(missing.status == .failed)
      #expect(missing.errors.contains("the container lacks transaction 1"))
    }
  }

  @Test func `a damaged content name in a header is damage to that file, and to no other`() throws {
    try withStores { stores in
      _ = try write(stores)
      stores.sql("a", "INSERT INTO tracks (id, title) VALUES (2, 'y')")
      exchange(stores)
      // Whichever comes first.
      for path in try stores.segments() {
        let whole = try Data(contentsOf: URL(filePath: path))
        var data = whole
        let name = try #require(data.range(of: Data("Library".utf8)))
        data[name.lowerBound] ^= 1
        try data.write(to: URL(filePath: path))
        for command in [
          ["doctor", stores.path("a")], ["doctor", stores.container],
          ["log", "verify", stores.container],
        ] {
          let invocation = Invocation(words: command)
          #expect(invocation.status == .damage)
          #expect(invocation.lines.contains { $0.contains(path) })
          for other in try stores.segments() where other != path {
            #expect(!invocation.lines.contains { $0.contains(other) }, "\(command)")
          }
        }
        for command in ["export", "blame"] {
          #expect(Invocation("log", command, stores.container).status == .damage, "\(command)")
        }
        try whole.write(to: URL(filePath: path))
      }
    }
  }

  @Test func `a whole file in which one bit has changed is not on its way`() throws {
    try withStores { stores in
      let path = try write(stores)
      #expect(stores.attach("c").status == .done)
      stores.sql("b", "INSERT INTO tracks (id, title) VALUES (3, 'z')")
      #expect(Invocation("sync", stores.path("b")).status == .done)
      let new = try #require(
        try stores.segments().first { $0 != path && $0.contains("0000000000000002-") })
      let whole = try Data(contentsOf: URL(filePath: new))
      for position in [4, 5, 6, 7, whole.count / 2] {
        var data = whole
        data[position] ^= 0x80
        try data.write(to: URL(filePath: new))
        let sync = Invocation("sync", stores.path("c"))
        #expect(sync.status == .damage, "\(position): \(sync.lines) \(sync.errors)")
        #expect(sync.errors.contains(new))
      }
      try whole.write(to: URL(filePath: new))
      #expect(Invocation("sync", stores.path("c")).status == .done)
    }
  }

  @Test func `attach says what waits and why, and exits with 3 where others have it`() throws {
    try withStores { stores in
      let path = try write(stores)
      stores.sql("a", "INSERT INTO tracks (id, title) VALUES (2, 'y')")
      exchange(stores)
      try FileManager.default.removeItem(atPath: path)
      for json in [false, true] {
        let name = json ? "c" : "d"
        let run = json ? stores.attach(name, "--json") : stores.attach(name)
        #expect(run.status == .damage)
        #expect(run.errors.contains("tributary: \(stores.path(name)): transaction 1 of peer"))
        #expect(run.errors.contains("waits for transaction 1 of peer"))
        #expect(run.errors.contains("wait for the carrier"))
        if json {
          for line in run.lines { try JSONSchema(named: "attach").check(line) }
          #expect(run.lines[0].contains(#""waiting":[{"peer":""#))
        }
      }
    }
  }

  @Test func `sync with reseed says that it has supplied what is lost with its writer`() throws {
    try withStores { stores in
      let path = try write(stores)
      let peer = URL(filePath: path).deletingLastPathComponent().deletingLastPathComponent()
      try FileManager.default.removeItem(at: peer)
      let finding = Invocation("doctor", stores.path("a"))
      #expect(finding.status == .damage)
      #expect(finding.output.contains("`tributary sync --reseed` on one that has imported them"))
      let json = Invocation("sync", "--reseed", "--json", stores.path("a"))
      #expect(json.status == .done)
      for line in json.lines { try JSONSchema(named: "sync").check(line) }
      #expect(json.output.contains(#""baseline":{"path":"\#(stores.container)"#))
      #expect(Invocation("verify", stores.path("a")).status == .done)
    }
  }

  @Test func `columns of one name have names of their own in JSON`() throws {
    try withStores { stores in
      let sql = "SELECT 1 AS a, 2 AS a, 3 AS A, 4 AS \"a:1\", 5 AS a, 6 AS b"
      let run = Invocation("sql", stores.path("a"), sql, "--json")
      #expect(run.output == #"{"a":1,"a:2":2,"A":3,"a:1":4,"a:3":5,"b":6}"# + "\n")
    }
  }
}
