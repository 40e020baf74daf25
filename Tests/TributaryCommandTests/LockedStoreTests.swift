import Foundation
import Glibc
import Testing
import TributaryFiles
import TributaryTesting

/// Programs that keep others from a database, as browsers do.
struct LockedStoreTests {
  enum Lock: String, CaseIterable, Sendable {
    case exclusive = "PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE; COMMIT"
    case writing = "BEGIN IMMEDIATE"

    var words: String {
      switch self {
      case .exclusive: "has locked the database exclusively; close that program"
      case .writing: "is writing to the database, and has been for some seconds"
      }
    }
  }

  /// Holds a lock, writes a row when it may go, and commits.
  private static let holder = """
    os, sqlite3, sys, time = map(__import__, ['os', 'sqlite3', 'sys', 'time'])
    connection = sqlite3.connect(sys.argv[1], isolation_level=None)
    for statement in sys.argv[2].split(';'):
        connection.execute(statement)
    open(sys.argv[3], 'w').close()
    while not os.path.exists(sys.argv[4]):
        time.sleep(0.01)
    connection.execute("INSERT INTO tracks VALUES (77, 'of the program', 1.0, NULL)")
    if connection.in_transaction:
        connection.execute('COMMIT')
    connection.close()
    """

  /// - Parameter body: runs while the database is locked, and is given what ends that.
  private func whileLocked(
    _ path: String, _ lock: Lock, in directory: String, _ body: (() throws -> Void) throws -> Void
  ) throws {
    let (held, go) = (directory + "/held", directory + "/go")
    let holder = try Shell(
      "exec python3 -c \"$0\" \"$@\"", Self.holder, path, lock.rawValue, held, go)
    try eventually { FileManager.default.fileExists(atPath: held) }
    var isFree = false
    func free() throws {
      guard !isFree else { return }
      isFree = true
      _ = FileManager.default.createFile(atPath: go, contents: nil)
      let end = try holder.finish()
      #expect(end.status == 0, "\(end.output)")
    }
    defer { try? free() }
    try body(free)
  }

  @Test func `commands say in one line who has locked the database`() throws {
    try withStores { stores in
      let plain = stores.directory + "/plain.db"
      #expect(try Shell("sqlite3 \"$0\" \"$1\"", plain, StoreFixture.schema).finish().status == 0)
      let beside = stores.directory + "/beside"
      try FileManager.default.createDirectory(atPath: beside, withIntermediateDirectories: false)
      let commands = [
        ["sync", stores.path("a")], ["status", stores.path("a")],
        ["attach", plain, "--container", stores.container, "--name", "Other"],
      ]
      try whileLocked(stores.path("a"), .exclusive, in: stores.directory) { _ in
        try whileLocked(plain, .exclusive, in: beside) { _ in
          let runs = Recorded<Invocation>()
          // Each waits for seconds.
          let threads = try commands.map { words in
            try WorkerThread(name: "command") { runs.append(Invocation(words: words)) }
          }
          for thread in threads { thread.join() }
          for run in runs.all {
            #expect(run.status == .failed)
            #expect(run.errors.filter { $0 == "\n" }.count == 1)
            #expect(run.errors.contains("python3 (process "), "\(run.errors)")
            #expect(run.errors.contains(Lock.exclusive.words), "\(run.errors)")
          }
          #expect(runs.all.count == commands.count)
        }
      }
    }
  }

  @Test(arguments: Lock.allCases)
  func `a watch says that a program has the database, and goes on when it is free`(
    lock: Lock
  ) throws {
    try withStores { stores in
      try whileLocked(stores.path("a"), lock, in: stores.directory) { free in
        let errors = stores.directory + "/errors"
        let watch = try Shell(
          "exec \"$0\" sync \"$1\" --watch --json --interval 0.2 2> \"$2\"", CommandProcess.path,
          stores.path("a"), errors)
        func said() -> String { (try? String(contentsOfFile: errors, encoding: .utf8)) ?? "" }
        // One that writes is in nobody's way before there is something to write.
        if lock == .exclusive { try eventually { said().contains(lock.words) } }
        try free()
        // It publishes what the program has written, and ends when told.
        try eventually {
          #expect(Invocation("sync", stores.path("b")).status == .done)
          return stores.sql("b", "SELECT count(*) FROM tracks") == "1\n"
        }
        watch.send(SIGTERM)
        #expect(try watch.finish().status == 0)
        #expect(said().filter { $0 == "\n" }.count <= 1, "\(said())")
      }
    }
  }

  /// Takes the database for itself as soon as it can, and writes a row.
  private static let greedy = """
    sqlite3, sys, time = map(__import__, ['sqlite3', 'sys', 'time'])
    for attempt in range(600):
        connection = sqlite3.connect(sys.argv[1], isolation_level=None, timeout=0.1)
        try:
            mode = connection.execute('PRAGMA ' + sys.argv[2]).fetchone()[0]
            connection.execute('BEGIN EXCLUSIVE')
            connection.execute("INSERT INTO tracks VALUES (77, 'of the program', 1.0, NULL)")
            connection.execute('COMMIT')
            assert mode in ('exclusive', 'delete'), mode
            sys.exit(0)
        except sqlite3.OperationalError:
            connection.close()
            time.sleep(0.05)
    sys.exit(1)
    """

  @Test(arguments: ["locking_mode = EXCLUSIVE", "journal_mode = DELETE"])
  func `a program can have the database for itself while a watch has nothing to do`(
    pragma: String
  ) throws {
    try withStores { stores in
      let watch = try Shell(
        "exec \"$0\" sync \"$1\" --watch --json --interval 600", CommandProcess.path,
        stores.path("a"))
      let program = try Shell(
        "exec python3 -c \"$0\" \"$@\"", Self.greedy, stores.path("a"), pragma)
      let end = try program.finish()
      #expect(end.status == 0, "\(end.output)")
      try eventually {
        #expect(Invocation("sync", stores.path("b")).status == .done)
        return stores.sql("b", "SELECT count(*) FROM tracks") == "1\n"
      }
      watch.send(SIGTERM)
      #expect(try watch.finish().status == 0)
    }
  }
}
