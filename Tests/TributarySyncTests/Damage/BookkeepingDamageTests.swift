import Foundation
import Testing
import TributaryContainer
import TributaryFiles
import TributaryMerge
import TributarySQLite
import TributaryStore
import TributarySync
import TributaryTesting

/// One row of the bookkeeping of `a` is damaged; then everything is tried that a store is for.
struct BookkeepingDamageTests {
  @Test(arguments: 0..<4)
  func `a damaged row of the bookkeeping stops no process, harms no other device, and is mended`(
    part: UInt64
  ) throws {
    let template = try DamageTemplate.shared.get()
    for seeds in Soak.seeds(part: part, of: 4, otherwise: 3) {
      try withSeeds(seeds, filter: "BookkeepingDamageTests") { random in
        try withTemporaryDirectory { directory in
          let devices = try template.copy(to: directory)
          guard let damage = try RowDamage.random(in: devices.path("a"), &random) else { return }
          trace("seed \(random.seed): \(damage)")
          do {
            try DamagedLife(devices: devices, template: template).run()
          } catch {
            throw Failure(description: "\(damage): \(error)")
          }
        }
      }
      Soak.didFinish("damaged rows")
    }
  }

  @Test func `a rebuild makes the tables of the bookkeeping that are gone`() throws {
    try withTemporaryDirectory { directory in
      let devices = try SyncDevices(in: directory)
      let tables = "CREATE TABLE t (id INTEGER PRIMARY KEY, v UNIQUE)"
      let (a, b) = (try devices.open("a", tables), try devices.open("b", tables))
      try a.execute("INSERT INTO t VALUES (1, 'one')")
      try b.execute("INSERT INTO t VALUES (2, 'two')")
      try exchange(a, b)
      a.store.close()
      for table in ["conflict", "held", "claim", "birth", "import", "knowledge"] {
        let program = try Connection(path: devices.path("a"), mode: .readWrite)
        try program.execute("DROP TABLE tributary_\(table)")
        program.close()
        let findings = try Engine.diagnose(store: devices.path("a"))
        #expect(findings.contains { $0.remedy.contains("rebuild") }, "\(table)")
        _ = try Engine.rebuild(store: devices.path("a"))
        let again = try SyncSession(store: devices.path("a"))
        #expect(try again.rows("SELECT id, v FROM t") == ["1|one", "2|two"], "\(table)")
        try exchange(again, b)
        again.store.close()
      }
    }
  }

  struct Failure: Error, CustomStringConvertible { var description: String }
}

/// Names what is being done, for when the process ends in it.
func trace(_ text: @autoclosure () -> String) {
  guard ProcessInfo.processInfo.environment["TRIBUTARY_TRACE"] != nil else { return }
  FileHandle.standardError.write(Data((text() + "\n").utf8))
}

/// What becomes of a damaged store and of the devices beside it.
struct DamagedLife {
  let devices: SyncDevices
  let template: DamageTemplate

  struct Wrong: Error, CustomStringConvertible { var description: String }

  /// - Parameter mayBeUnseen: the damage may have hit what nothing reads.
  func run(mayBeUnseen: Bool = false) throws {
    let path = devices.path("a")
    for (name, step) in [
      ("open", { _ = try SyncSession(store: path) }),
      ("status", { _ = try SyncSession(store: path).status() }),
      ("doctor", { _ = try Engine.diagnose(store: path) }),
      ("verify", { _ = try Engine.verify(store: path) }),
      ("conflicts", { _ = try SyncSession(store: path).conflicts(ended: true) }),
      (
        "read",
        {
          _ = try LocalStore(path: path, milliseconds: { 0 }).read {
            try $0.query("SELECT * FROM t")
          }
        }
      ),
      ("digest", { _ = try SyncSession(store: path).store.digest() }),
      (
        "sync",
        { if let failure = try SyncSession(store: path).synchronize().failure { throw failure } }
      ),
    ] as [(String, () throws -> Void)] {
      try attempt(name, step)
    }
    // What the others have got is right, all of it or nothing.
    let others = try digests(["b", "c"], times: 2)
    let right = [template.with, template.without, try DamageTemplate.partly.get()]
    guard Set(others).count == 1, right.contains(others[0]) else {
      throw Wrong(description: "something wrong was published")
    }
    let told = (try? Engine.diagnose(store: path))?.filter { $0.severity != .note } ?? []
    if try isMendedByRebuilding() { return }
    trace("  not mended by a rebuild: \(told.map(\.code.rawValue))")
    try FileManager.default.removeItem(atPath: path)
    for suffix in ["-wal", "-shm"] { try? FileManager.default.removeItem(atPath: path + suffix) }
    _ = try devices.attach("a")
    let all = try digests(DamageTemplate.names, times: 2)
    guard Set(all).count == 1, all[0] == others[0] else {
      throw Wrong(description: "attached again, it is not as the others are")
    }
    guard !told.isEmpty || mayBeUnseen else {
      throw Wrong(description: "the doctor has found nothing")
    }
  }

  /// - Returns: false when the store cannot be rebuilt, or not be used afterwards.
  private func isMendedByRebuilding() throws -> Bool {
    let path = devices.path("a")
    let differed = ((try? Engine.verify(store: path))?.differenceCount ?? 1) > 0
    var isRebuilt = false
    try attempt("rebuild") {
      _ = try Engine.rebuild(store: path)
      isRebuilt = true
    }
    guard isRebuilt else { return false }
    var failure: (any Error)?
    try attempt("sync after rebuild") {
      failure = try SyncSession(store: path).synchronize().failure
    }
    guard failure == nil, (try? SyncSession(store: path)) != nil else { return false }
    try attempt("write") {
      try SyncSession(store: path).execute("INSERT INTO t VALUES (777, 'new', 7, NULL)")
    }
    guard let all = try? digests(DamageTemplate.names, times: 3) else { return false }
    let expected = try withoutNewRow()
    // What was nowhere else is lost, and `verify` has said so.
    if Set(all).count == 1, differed, try expected == DamageTemplate.partly.get() { return true }
    guard Set(all).count == 1, expected == template.with else {
      // Something is wrong: then it must be told.
      let told = try Engine.diagnose(store: path).contains { $0.severity != .note }
      let differs = try Engine.verify(store: path).differenceCount > 0
      if told || differs { return false }
      throw Wrong(description: "rebuilt, it differs, and nobody says so")
    }
    guard try Engine.verify(store: path).differenceCount == 0 else {
      throw Wrong(description: "rebuilt, it differs from its logs")
    }
    return true
  }

  /// The contents of `b` as they would be without the row written last.
  private func withoutNewRow() throws -> String {
    let session = try SyncSession(store: devices.path("b"))
    try session.execute("DELETE FROM t WHERE id = 777")
    return try session.store.digest().total
  }

  private func digests(_ names: [String], times: Int) throws -> [String] {
    let sessions = try names.map { try SyncSession(store: devices.path($0)) }
    for _ in 0..<times {
      for session in sessions {
        let report = try session.synchronize()
        if let failure = report.failure { throw failure }
        guard report.waiting.isEmpty, report.damaged.isEmpty else {
          throw Wrong(
            description: "\(session.store.path) waits: \(report.waiting) \(report.damaged)")
        }
      }
    }
    return try sessions.map { try $0.store.digest().total }
  }

  /// What goes wrong names the file and the remedy.
  private func attempt(_ name: String, _ step: () throws -> Void) throws {
    trace("  \(name)")
    do {
      try step()
    } catch {
      trace("    \(error)")
      let (path, remedy): (String?, String?) =
        switch error {
        case let error as StoreError: (error.path, error.remedy)
        case let error as SyncError: (error.path, error.remedy)
        case let error as ContainerError: (error.path, error.remedy)
        case let error as FileError: (error.path, error.remedy)
        case let error as SQLiteError:
          (error.path, error.remedy.isEmpty ? "\(error)" : error.remedy)
        default: (nil, nil)
        }
      guard let path, !path.isEmpty, let remedy, !remedy.isEmpty else {
        throw Wrong(description: "\(name): \(type(of: error)): \(error)")
      }
    }
  }
}
