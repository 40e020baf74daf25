import Foundation
import Glibc
import Synchronization
import Testing
import TributaryContainer
import TributaryFiles
import TributaryStore
import TributarySync
import TributaryTesting

/// Files of others that this device does not let the program read: nothing is known of what is in them.
struct RefusedFileTests {
  private static let denied = [EACCES, EPERM]
  private static let exhausted = [EMFILE, ENFILE]

  /// A session of `a` beside the one of the fixture, on files that can be refused.
  private func open(
    _ doctor: DoctorFixture, _ files: RefusingFileSystem
  ) throws -> SyncSession {
    try SyncSession(
      store: doctor.devices.path("a"), environment: StoreEnvironment(fileSystem: files))
  }

  /// Expects the failure of a file.
  private func check(
    _ report: SyncReport, _ code: Int32, _ path: String,
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let error = try #require(
      report.failure as? ContainerError, "\(report)", sourceLocation: sourceLocation)
    #expect((error.underlying as? FileError)?.code == code, sourceLocation: sourceLocation)
    #expect(error.path == path, sourceLocation: sourceLocation)
    let isDenied = Self.denied.contains(code)
    #expect(
      error.message.contains("this process runs as user \(geteuid()); it belongs to user")
        == isDenied, "\(error)", sourceLocation: sourceLocation)
    #expect(
      error.remedy.contains(isDenied ? "permissions" : "limit of open files"), "\(error)",
      sourceLocation: sourceLocation)
    #expect(report.damaged.isEmpty && report.arriving.isEmpty, sourceLocation: sourceLocation)
    #expect(report.waiting.isEmpty && report.delays.isEmpty, sourceLocation: sourceLocation)
  }

  @Test(arguments: denied + exhausted)
  func `a segment that cannot be opened is no damage, and comes when it can`(code: Int32) throws {
    try withDoctor { doctor in
      let c = try doctor.devices.open("c")
      try exchange(c, doctor.a, doctor.b)
      try doctor.b.execute("INSERT INTO t VALUES (12, 'twelve')")
      try doctor.b.exchange()
      try doctor.b.execute("INSERT INTO t VALUES (13, 'thirteen')")
      try doctor.b.exchange()
      try c.execute("INSERT INTO t VALUES (30, 'thirty')")
      try c.exchange()
      let path = try #require(try doctor.segments(doctor.b).dropLast().last)
      let files = RefusingFileSystem()
      let a = try open(doctor, files)
      files.refuse { $0 == .open && $1 == path ? code : nil }
      for _ in 1...2 {
        try check(try a.synchronize(), code, path)
        let findings = try a.status().findings
        #expect(findings.contains { $0.contains(path) }, "\(findings)")
        #expect(!findings.contains { $0.contains("damaged") }, "\(findings)")
      }
      if Self.denied.contains(code) {
        // Everything else has come.
        #expect(try a.rows("SELECT v FROM t WHERE id IN (12, 13, 30)") == ["thirty"])
      }
      files.refuse { _, _ in nil }
      try a.exchange()
      #expect(
        try a.rows("SELECT v FROM t WHERE id IN (12, 13, 30) ORDER BY id")
          == ["twelve", "thirteen", "thirty"])
      #expect(try a.status().trouble == nil)
    }
  }

  @Test(arguments: denied + exhausted)
  func `a log that cannot be listed is no damage`(code: Int32) throws {
    try withDoctor { doctor in
      let c = try doctor.devices.open("c")
      try exchange(c, doctor.a, doctor.b)
      try c.execute("INSERT INTO t VALUES (30, 'thirty')")
      try c.exchange()
      let path = try doctor.directory(doctor.b) + "/log"
      let files = RefusingFileSystem()
      let a = try open(doctor, files)
      files.refuse { $0 == .list && $1 == path ? code : nil }
      try check(try a.synchronize(), code, path)
      #expect(try a.rows("SELECT v FROM t WHERE id = 30") == ["thirty"])
      files.refuse { _, _ in nil }
      try a.exchange()
    }
  }

  @Test(arguments: denied)
  func `a file in which a peer says who it is and that may not be read is named each time`(
    code: Int32
  ) throws {
    try withDoctor { doctor in
      try doctor.b.execute("INSERT INTO t VALUES (12, 'twelve')")
      try doctor.b.exchange()
      let path = try doctor.directory(doctor.b) + "/peer.json"
      let files = RefusingFileSystem()
      let a = try open(doctor, files)
      files.refuse { $0 == .open && $1 == path ? code : nil }
      for _ in 1...2 { try check(try a.synchronize(), code, path) }
      #expect(try a.rows("SELECT v FROM t WHERE id = 12") == ["twelve"])
      files.refuse { _, _ in nil }
      try a.exchange()
    }
  }

  @Test(arguments: exhausted)
  func `of a segment that is cut off, and cannot be opened again, nothing is said but that`(
    code: Int32
  ) throws {
    try withDoctor { doctor in
      try doctor.b.execute("INSERT INTO t VALUES (12, 'twelve')")
      try doctor.b.exchange()
      let path = try #require(try doctor.segments(doctor.b).last)
      let whole = try Data(contentsOf: URL(filePath: path))
      try whole.dropLast(7).write(to: URL(filePath: path))
      let files = RefusingFileSystem()
      let a = try open(doctor, files)
      let opened = Atomic(0)
      files.refuse { operation, asked in
        guard operation == .open, asked == path else { return nil }
        return opened.wrappingAdd(1, ordering: .relaxed).oldValue == 0 ? nil : code
      }
      let report = try a.synchronize()
      #expect(opened.load(ordering: .relaxed) > 1)
      #expect(((report.failure as? ContainerError)?.underlying as? FileError)?.code == code)
      #expect(report.damaged.isEmpty && report.arriving.isEmpty)
      files.refuse { _, _ in nil }
      #expect(try a.synchronize().arriving.map(\.path) == [path])
      try whole.write(to: URL(filePath: path))
      try a.exchange()
    }
  }

  @Test(arguments: denied)
  func `logs that merging needs and that may not be read hold up only what needs them`(
    code: Int32
  ) throws {
    try withDoctor { doctor in
      // Written without knowing of each other.
      try doctor.a.execute("UPDATE t SET v = 'by a' WHERE id = 11")
      try doctor.b.execute("UPDATE t SET v = 'by b' WHERE id = 11")
      let c = try doctor.devices.open("c")
      try doctor.b.exchange()
      try c.exchange()
      try doctor.a.exchange()
      let path = try #require(try doctor.segments(doctor.b).last)
      let files = RefusingFileSystem()
      let session = try SyncSession(
        store: doctor.devices.path("c"), environment: StoreEnvironment(fileSystem: files))
      files.refuse { $0 == .open && $1 == path ? code : nil }
      let report = try session.synchronize()
      let error = try #require(report.failure as? ContainerError, "\(report)")
      #expect((error.underlying as? FileError)?.code == code && error.path == path)
      #expect(report.damaged.isEmpty)
      files.refuse { _, _ in nil }
      try exchange(session, doctor.a, doctor.b)
      #expect(try session.store.digest().total == doctor.a.store.digest().total)
    }
  }

  @Test(arguments: denied + exhausted)
  func `a baseline that cannot be opened is not called damaged by a store that attaches`(
    code: Int32
  ) throws {
    try withDoctor { doctor in
      _ = try doctor.a.writeBaseline()
      try doctor.a.exchange()
      let files = RefusingFileSystem()
      files.refuse { $0 == .open && $1.contains("/baseline/") ? code : nil }
      let request = AttachRequest(
        store: doctor.devices.path("c"), container: doctor.devices.container, contentName: "C")
      let environment = StoreEnvironment(fileSystem: files)
      guard Self.denied.contains(code) else {
        let error = #expect(throws: ContainerError.self) {
          try Engine.attach(request, environment: environment)
        }
        #expect((error?.underlying as? FileError)?.code == code)
        #expect(!FileManager.default.fileExists(atPath: request.store))
        return
      }
      let report = try Engine.attach(request, environment: environment)
      #expect(report.damaged.isEmpty)
      #expect(
        report.notes.contains { "\($0)".contains("this process runs as user") }, "\(report.notes)")
      let c = try SyncSession(store: request.store)
      try c.exchange()
      #expect(try c.store.digest().total == doctor.a.store.digest().total)
    }
  }
}
