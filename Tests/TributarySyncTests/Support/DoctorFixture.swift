import Foundation
import Testing
import TributaryCore
import TributarySQLite
import TributarySync
import TributaryTesting

/// Two devices, `a` and `b`, that have exchanged a few transactions each, and what the doctor says.
struct DoctorFixture {
  let devices: SyncDevices
  let a: SyncSession
  let b: SyncSession

  static let script = """
    CREATE TABLE t (id INTEGER PRIMARY KEY, v TEXT UNIQUE);
    CREATE TABLE c (id INTEGER PRIMARY KEY, t INTEGER REFERENCES t (id))
    """

  init(in directory: String) throws {
    devices = try SyncDevices(in: directory)
    a = try devices.open("a", Self.script)
    try a.execute("INSERT INTO t VALUES (1, 'one')")
    try a.exchange()
    b = try devices.open("b")
    try a.execute("INSERT INTO t VALUES (2, 'two')")
    try b.execute("INSERT INTO t VALUES (11, 'eleven')")
    try TributarySyncTests.exchange(a, b)
    try TributarySyncTests.exchange(a, b)
  }

  /// Severity and code of each finding about a store.
  func diagnose(_ name: String, _ environment: StoreEnvironment = StoreEnvironment()) throws
    -> [String]
  {
    try findings(name, environment).map(\.text)
  }

  func findings(
    _ name: String, _ environment: StoreEnvironment = StoreEnvironment()
  ) throws -> [Finding] {
    try Engine.diagnose(store: devices.path(name), environment: environment)
  }

  /// The same about the container alone.
  func diagnoseContainer(_ environment: StoreEnvironment = StoreEnvironment()) throws -> [String] {
    try Engine.diagnose(container: devices.container, environment: environment).map(\.text)
  }

  func peer(_ session: SyncSession) throws -> String {
    try session.store.identity().peer.description
  }

  /// A peer's directory in the container.
  func directory(_ session: SyncSession) throws -> String {
    "\(devices.container)/tributary/C/peers/\(try peer(session))"
  }

  /// A peer's segments, in order.
  func segments(_ session: SyncSession) throws -> [String] {
    let log = try directory(session) + "/log"
    return try FileManager.default.contentsOfDirectory(atPath: log).filter { $0.hasSuffix(".lz4") }
      .sorted().map { "\(log)/\($0)" }
  }

  /// Writes into a database past the store.
  func damage(_ name: String, _ sql: String) throws {
    let connection = try Connection(path: devices.path(name), mode: .readWrite)
    defer { connection.close() }
    try connection.execute("PRAGMA foreign_keys = OFF; PRAGMA ignore_check_constraints = ON")
    try connection.execute(sql)
  }

  /// All bytes of all files, by path.
  func everything() throws -> [String: Data] {
    let manager = FileManager.default
    var files: [String: Data] = [:]
    for name in manager.enumerator(atPath: devices.directory)?.compactMap({ $0 as? String }) ?? [] {
      // The index of a write-ahead log is only for those that have it open.
      if name.hasSuffix("-shm") { continue }
      files[name] = manager.contents(atPath: "\(devices.directory)/\(name)") ?? Data()
    }
    return files
  }
}

extension Finding {
  var text: String { "\(severity.rawValue) \(code.rawValue)" }
}

func withDoctor(_ body: (DoctorFixture) throws -> Void) throws {
  try withTemporaryDirectory { try body(DoctorFixture(in: $0)) }
}

/// Changes the bytes of a file.
func change(_ path: String, _ body: (inout Data) -> Void) throws {
  var data = try Data(contentsOf: URL(filePath: path))
  body(&data)
  try data.write(to: URL(filePath: path))
}
