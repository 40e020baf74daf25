import Foundation
import Testing
import TributaryCore
import TributarySQLite
import TributaryStore
import TributarySync
import TributaryTesting

/// Three stores that have lived through conflicts, held rows and numbers given twice; `a` has
/// something unpublished, and something of `b` has not been imported by it. Made once and copied.
struct DamageTemplate {
  /// The files, relative to its directory.
  private let files: [(path: String, contents: Data)]
  /// What is right before the last transactions of `a` are published, and afterwards.
  let without: String
  let with: String

  static let names = ["a", "b", "c"]

  static let shared = Result { try DamageTemplate() }

  private static let script = """
    CREATE TABLE t (id INTEGER PRIMARY KEY, v TEXT UNIQUE, n INTEGER, big BLOB);
    CREATE TABLE child (id INTEGER PRIMARY KEY, t INTEGER REFERENCES t (id) ON DELETE CASCADE, v);
    CREATE TABLE pair (a TEXT, b INTEGER, v, PRIMARY KEY (a, b)) WITHOUT ROWID;
    CREATE TABLE tally (k TEXT PRIMARY KEY, n INTEGER NOT NULL)
    """

  private init() throws {
    (files, without, with) = try withTemporaryDirectory { directory in
      let devices = try SyncDevices(in: directory)
      let merge = MergeOptions(tables: ["tally": TableMerge(columns: ["n": .counter])])
      do {
        let a = try devices.open("a", Self.script, merge: merge)
        let b = try devices.open("b")
        let c = try devices.open("c")
        try Self.live(a, b, c)
      }
      for name in Self.names { try Self.checkpoint(devices.path(name)) }
      let files = try Self.read(directory)
      // B and C alone, and then with what A has not published yet.
      let without = try Self.finish(devices, ["b", "c"])
      let with = try Self.finish(devices, Self.names)
      return (files, without, with)
    }
  }

  private static func live(_ a: SyncSession, _ b: SyncSession, _ c: SyncSession) throws {
    try a.execute(
      """
      INSERT INTO t VALUES (1, 'one', 1, NULL), (2, 'two', 2, NULL), (3, 'three', 3, NULL);
      INSERT INTO child VALUES (1, 1, 'x'), (2, 2, 'y');
      INSERT INTO pair VALUES ('p', 1, 1), ('p', 2, 2);
      INSERT INTO tally VALUES ('all', 10)
      """)
    try exchange(a, b, c)
    let version = try a.store.read { try $0.version }
    for (number, session) in [a, b, c].enumerated() {
      try session.execute("UPDATE t SET n = \(number + 10), v = 'one \(number)' WHERE id = 1")
      try session.execute("INSERT INTO t VALUES (4, 'four', \(number), zeroblob(100))")
      try session.execute("INSERT INTO t VALUES (\(50 + number), 'contested', \(number), NULL)")
      try session.execute("UPDATE tally SET n = n + \(number + 1)")
    }
    try b.execute("DELETE FROM t WHERE id = 2")
    try c.execute("INSERT INTO child VALUES (9, 2, 'of one that is gone')")
    try c.execute("UPDATE pair SET v = 'c' WHERE b = 2")
    try a.execute("UPDATE pair SET v = 'a' WHERE b = 2")
    try exchange(a, b, c)
    try a.store.write(basedOn: version) { try $0.execute("UPDATE t SET n = 99 WHERE id = 3") }
    // Larger than one piece of the outbox.
    try a.execute(
      "INSERT INTO t VALUES (60, 'big', 0, zeroblob(4500000)), (61, 'big 2', 0, zeroblob(900000))")
    try exchange(a, b, c)
    try b.execute("UPDATE t SET n = 1000 WHERE id = 3")
    try b.exchange()
    try a.execute("UPDATE t SET n = 500 WHERE id = 1; INSERT INTO pair VALUES ('q', 1, 'new')")
    try a.execute("INSERT INTO child VALUES (20, 1, 'unpublished')")
  }

  static func checkpoint(_ path: String) throws {
    let connection = try Connection(path: path, mode: .readWrite)
    defer { connection.close() }
    try connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
  }

  private static func read(_ directory: String) throws -> [(String, Data)] {
    let manager = FileManager.default
    return try (manager.enumerator(atPath: directory)?.compactMap { $0 as? String } ?? [])
      .filter { !$0.hasSuffix("-wal") && !$0.hasSuffix("-shm") }.sorted().compactMap { name in
        var isDirectory: ObjCBool = false
        let path = "\(directory)/\(name)"
        guard manager.fileExists(atPath: path, isDirectory: &isDirectory), !isDirectory.boolValue
        else { return nil }
        return (name, try Data(contentsOf: URL(filePath: path)))
      }
  }

  private static func finish(_ devices: SyncDevices, _ names: [String]) throws -> String {
    let sessions = try names.map { try SyncSession(store: devices.path($0)) }
    for _ in 0..<2 { for session in sessions { try session.exchange() } }
    let digests = try sessions.map { try $0.store.digest().total }
    #expect(Set(digests).count == 1)
    return digests[0]
  }

  /// What is right when of the last two transactions of `a` the later one is gone, of which nobody
  /// else has ever heard.
  static let partly = Result {
    try withTemporaryDirectory { directory in
      let devices = try shared.get().copy(to: directory)
      let connection = try Connection(path: devices.path("a"), mode: .readWrite)
      try connection.execute(
        "DELETE FROM tributary_outbox WHERE sequence = (SELECT max(sequence) FROM tributary_outbox)"
      )
      connection.close()
      let sessions = try names.map { try SyncSession(store: devices.path($0)) }
      for session in sessions { try session.exchange() }
      return try sessions[2].store.digest().total
    }
  }

  /// Puts a copy into a directory.
  func copy(to directory: String) throws -> SyncDevices {
    for (name, contents) in files {
      let url = URL(filePath: "\(directory)/\(name)")
      try FileManager.default.createDirectory(
        at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
      try contents.write(to: url)
    }
    let devices = try SyncDevices(in: directory)
    for name in Self.names {
      for folder in ["log", "baseline"] {
        let peer = try Connection(path: devices.path(name), mode: .readWrite)
        let statement = try peer.prepare(
          "SELECT lower(hex(value)) FROM tributary_store WHERE key = 'peer'")
        _ = try statement.step()
        try FileManager.default.createDirectory(
          atPath: "\(devices.container)/tributary/C/peers/\(statement.string(0))/\(folder)",
          withIntermediateDirectories: true)
        statement.reset()
        peer.close()
      }
      let connection = try Connection(path: devices.path(name), mode: .readWrite)
      try ForeignCapture.follow(connection) {
        try connection.immediate {
          try connection.cached("UPDATE tributary_store SET value = ? WHERE key = 'container'")
            .run(.string(devices.container))
          // They are the originals here, and no program has written them.
          try connection.execute("DELETE FROM tributary_store WHERE key = 'birth'")
          try ForeignCapture(connection).vouch()
        }
      }
      connection.close()
      try Self.checkpoint(devices.path(name))
    }
    return devices
  }
}
