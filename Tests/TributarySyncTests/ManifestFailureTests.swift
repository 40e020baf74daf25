import Foundation
import Synchronization
import Testing
import TributaryContainer
import TributaryCore
import TributaryFiles
import TributarySync
import TributaryTesting

/// Files in which peers say who they are, and that cannot be looked at for a while.
struct ManifestFailureTests {
  /// The real one, where some paths cannot be asked for.
  private final class Unreachable: ForwardingFileSystem {
    let base: any FileSystem = LocalFileSystem()
    let suffix = Mutex<String?>(nil)

    func status(_ path: String) throws(FileError) -> FileStatus? {
      if let suffix = suffix.withLock({ $0 }), path.hasSuffix(suffix) {
        throw FileError(operation: "stat", path: path, code: EIO)
      }
      return try base.status(path)
    }
  }

  private func manifest(of session: SyncSession, _ doctor: DoctorFixture) throws -> String {
    ContentDirectory(container: doctor.devices.container, name: try ContentName("C"))
      .manifest(of: session.store.peer)
  }

  @Test func `one that cannot be looked at stays as it was known, and the others too`() throws {
    try withDoctor { doctor in
      let files = Unreachable()
      let a = try SyncSession(
        store: doctor.devices.path("a"),
        environment: StoreEnvironment(fileSystem: files, containerLimit: nil))
      try a.exchange()
      files.suffix.withLock { $0 = "\(doctor.b.store.peer)/peer.json" }
      try doctor.b.execute("INSERT INTO t VALUES (12, 'twelve')")
      try doctor.b.exchange()
      let report = try a.synchronize()
      #expect(report.failure == nil)
      #expect(try a.rows("SELECT v FROM t WHERE id = 12") == ["twelve"])
    }
  }

  @Test func `without having known it nothing is imported until it can be read`() throws {
    try withDoctor { doctor in
      let files = Unreachable()
      let path = "\(try doctor.peer(doctor.b))/peer.json"
      files.suffix.withLock { $0 = path }
      try doctor.b.execute("INSERT INTO t VALUES (12, 'twelve')")
      try doctor.b.exchange()
      try doctor.a.execute("INSERT INTO t VALUES (3, 'three')")
      let a = try SyncSession(
        store: doctor.devices.path("a"),
        environment: StoreEnvironment(fileSystem: files, containerLimit: nil))
      let report = try a.synchronize()
      #expect("\(try #require(report.failure))".contains(path))
      #expect(report.published.transactions == 1)
      #expect(try a.rows("SELECT v FROM t WHERE id = 12") == [])
      files.suffix.withLock { $0 = nil }
      try a.exchange()
      #expect(try a.rows("SELECT v FROM t WHERE id = 12") == ["twelve"])
    }
  }

  @Test(arguments: ["[[[[\n", "{}\n"])
  func `a damaged one is named each time, and the rest is imported`(contents: String) throws {
    try withDoctor { doctor in
      let path = try manifest(of: doctor.b, doctor)
      try doctor.b.execute("INSERT INTO t VALUES (12, 'twelve')")
      try doctor.b.exchange()
      try Data(contents.utf8).write(to: URL(filePath: path))
      for _ in 1...2 {
        let report = try doctor.a.synchronize()
        #expect(report.failure == nil)
        #expect(report.damaged.map(\.path) == [path])
        #expect(try doctor.a.status().findings.contains { $0.contains(path) })
      }
      #expect(try doctor.a.rows("SELECT v FROM t WHERE id = 12") == ["twelve"])
    }
  }

  @Test(arguments: ["{}", "null", "garbage", "[\"checksum\"]"])
  func `one that no cut can have made is damaged`(text: String) throws {
    try withDoctor { doctor in
      let path = try manifest(of: doctor.b, doctor)
      try Data(text.utf8).write(to: URL(filePath: path))
      let report = try doctor.a.synchronize()
      #expect(report.arriving.isEmpty)
      #expect(report.damaged.map(\.path) == [path])
    }
  }

  @Test func `one that is cut off is on its way`() throws {
    try withDoctor { doctor in
      let path = try manifest(of: doctor.b, doctor)
      let whole = try Data(contentsOf: URL(filePath: path))
      try whole.dropLast(9).write(to: URL(filePath: path))
      let report = try doctor.a.synchronize()
      #expect(report.failure == nil && report.damaged.isEmpty)
      #expect(report.arriving.map(\.path) == [path])
      try whole.write(to: URL(filePath: path))
      #expect(try doctor.a.synchronize().isEmpty)
    }
  }
}
