import Foundation
import Glibc
import Testing
import TributarySimulation
import TributaryStore
import TributaryTesting

/// Commands, daemons and an application on one store at once.
struct ManyProcessesTests {
  private static let writers = 4
  private static let writes = 25

  /// Runs a command again as long as it has waited for the others in vain.
  private static let patiently = """
    patiently() {
      until said=$("$@" 2>&1); do
        case $said in
          \(Contention.sayings.map { "*'\($0)'*" }.joined(separator: " | "))) ;;
          *) echo "$said"; return 1 ;;
        esac
      done
    }
    """

  @Test func `sequences never collide, nothing is lost, nothing is published twice`() throws {
    try withStores { stores in
      // Two daemons on one store, one on the other.
      let daemons = try ["a", "a", "b"].map {
        try CommandProcess(["sync", stores.path($0), "--watch", "--quiet", "--interval", "0.5"])
      }
      let application = try LocalStore(path: stores.path("a"), milliseconds: { 1 })
      let loops = try (0..<Self.writers).map { writer in
        try Shell(
          """
          \(Self.patiently)
          for i in $(seq \(Self.writes)); do
            patiently "$0" sql "$1" "INSERT INTO pairs VALUES ('w\(writer)', $i, 'x')" || exit 1
            [ $((i % 5)) -gt 0 ] || patiently "$0" sync --quiet "$1" || exit 2
          done
          """, try CommandProcess.path, stores.path("a"))
      }
      for number in 1...100 {
        try Contention.outwait {
          try application.write {
            try $0.execute("INSERT INTO pairs VALUES ('app', ?, 'x')", number)
          }
        }
      }
      for loop in loops {
        let end = try loop.finish()
        #expect(end.status == 0, "\(end.output)")
      }
      let count = Self.writers * Self.writes + 100
      try eventually { stores.sql("b", "SELECT count(*) FROM pairs") == "\(count)\n" }
      for daemon in daemons {
        daemon.send(SIGTERM)
        let end = try daemon.finish()
        #expect(end.status == 0 && Contention.isAll(of: end.errors), "\(end)")
      }
      let outbox = stores.sql(
        "a", "SELECT count(*) || ' ' || min(sequence) || ' ' || max(sequence) FROM tributary_outbox"
      )
      #expect(outbox == "\(count) 1 \(count)\n")
      let digests = ["a", "b"].map { Invocation("digest", stores.path($0)).output }
      #expect(digests[0] == digests[1])
      // Each transaction lies in the container once, but for segments that were merged into others.
      let ranges = try stores.segments().map { segment in
        let parts = URL(filePath: segment).lastPathComponent.split(separator: "-")
        let ends = parts.prefix(2).compactMap { Int($0, radix: 16) }
        return try #require(ends.count == 2 ? ends[0]...ends[1] : nil)
      }
      var next = 1
      for range in ranges.sorted(by: { $0.lowerBound < $1.lowerBound })
      where !ranges.contains(where: { $0 != range && $0.contains(range) }) {
        #expect(range.lowerBound == next)
        next = range.upperBound + 1
      }
      #expect(next == count + 1)
      for name in ["a", "b"] { #expect(Invocation("verify", stores.path(name)).status == .done) }
    }
  }

  @Test func `every watching process runs its command for each import, whoever made it`() throws {
    try withStores { stores in
      let log = stores.directory + "/told"
      let daemons = try (0..<2).map { number in
        try CommandProcess([
          "sync", stores.path("b"), "--watch", "--json", "--interval", "0.2", "--on-import",
          "cat >> '\(log)\(number)'",
        ])
      }
      func insert(_ id: Int) {
        stores.sql("a", "INSERT INTO tracks VALUES (\(id), 'title \(id)', 1.0, NULL)")
        #expect(Invocation("sync", stores.path("a"), "-q").status == .done)
      }
      // Until both are there, nothing may be imported that they would not be told of; one that was told of
      // something is there.
      var first = 1000
      try eventually {
        first += 1
        insert(first)
        return try (0..<2).allSatisfy { try !insertedKeys(told: "\(log)\($0)").isEmpty }
      }
      for id in 1...20 {
        insert(id)
        if id % 5 == 0 { #expect(Invocation("sync", stores.path("b"), "-q").status == .done) }
      }
      for number in 0..<2 {
        let path = "\(log)\(number)"
        try eventually { try insertedKeys(told: path).contains(20) }
        let keys = try insertedKeys(told: path).filter { $0 <= 20 }
        #expect(keys == Array(1...20), "process \(number)")
      }
      for daemon in daemons {
        daemon.send(SIGTERM)
        let end = try daemon.finish()
        #expect(end.status == 0 && Contention.isAll(of: end.errors), "\(end)")
        for line in end.rest.split(separator: "\n") {
          try JSONSchema(named: "sync").check(String(line))
        }
      }
    }
  }

  /// The keys that were told until now.
  private func insertedKeys(told path: String) throws -> [Int] {
    // Not there before the first import.
    let text = (try? String(contentsOfFile: path, encoding: .utf8)) ?? ""
    // The last line may be there in part.
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
    return try lines.flatMap { line in
      let object = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
      let imported = object?["imported"] as? [String: Any]
      let tracks = (imported?["changes"] as? [String: Any])?["tracks"] as? [String: Any]
      return tracks?["inserted"] as? [Int] ?? []
    }
  }

  @Test func `a migration that several processes run at once runs once`() throws {
    try withStores { stores in
      let schemas = stores.directory + "/schemas"
      try FileManager.default.createDirectory(
        atPath: schemas, withIntermediateDirectories: false)
      try stores.write(
        "CREATE TABLE counts (k TEXT PRIMARY KEY, n INT); INSERT INTO counts VALUES ('x', 0)",
        to: "schemas/1.sql")
      let words = """
        \(Self.patiently)
        patiently "$0" attach "$1" --container "$2" --name Migrated --schema "$3" --quiet
        """
      for number in 1...4 {
        if number > 1 {
          try stores.write(
            "UPDATE counts SET n = n + 1; ALTER TABLE counts ADD COLUMN c\(number)",
            to: "schemas/\(number).sql")
        }
        let all = try (0..<4).map { _ in
          try Shell(
            words, try CommandProcess.path, stores.path("new"), stores.container, schemas)
        }
        for one in all {
          let end = try one.finish()
          #expect(end.status == 0, "\(end.output)")
        }
      }
      #expect(stores.sql("new", "SELECT n, c2, c3, c4 FROM counts") == "3\t\t\t\n")
    }
  }

  @Test func `two that attach one store at once make one store`() throws {
    for round in 0..<5 {
      try withStores { stores in
        let words = """
          \(Self.patiently)
          patiently "$0" attach "$1" --container "$2" --name "New \(round)" --schema "$3" --quiet
          """
        let both = try (0..<3).map { _ in
          try Shell(
            words, try CommandProcess.path, stores.path("new"), stores.container,
            stores.directory + "/schema.sql")
        }
        for one in both {
          let end = try one.finish()
          #expect(end.status == 0, "\(end.output)")
        }
        let peers = try FileManager.default.contentsOfDirectory(
          atPath: "\(stores.container)/tributary/New \(round)/peers")
        #expect(peers.count == 1)
        #expect(
          try FileManager.default.contentsOfDirectory(atPath: stores.directory).allSatisfy {
            !$0.contains("-tributary-")
          })
      }
    }
  }
}
