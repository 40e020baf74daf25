import Foundation
import Testing
import TributaryContainer
import TributaryCore
import TributarySync
import TributaryTesting

/// Files that a later program has written: they are named, and everything else goes on.
struct NewerFormatTests {
  private static let script = "CREATE TABLE t (id INTEGER PRIMARY KEY, v TEXT)"

  /// Lends three devices, of which the third has published what the first has not imported, and its directory.
  private func withThree(
    _ body: (SyncDevices, _ a: SyncSession, _ b: SyncSession, _ directory: String) throws -> Void
  ) throws {
    try withTemporaryDirectory { directory in
      let devices = try SyncDevices(in: directory)
      let a = try devices.open("a", Self.script)
      let b = try devices.open("b")
      let c = try devices.open("c")
      try c.execute("INSERT INTO t VALUES (1, 'known')")
      try exchange(a, b, c)
      try c.execute("INSERT INTO t VALUES (2, 'newer')")
      _ = try c.writeBaseline()
      try b.execute("INSERT INTO t VALUES (3, 'of b')")
      _ = try b.publish()
      let peer = try c.store.identity().peer
      try body(devices, a, b, "\(devices.container)/tributary/C/peers/\(peer)")
    }
  }

  /// Expects that a file is named as newer by all that look, and that what `b` has published is imported.
  private func expectNamed(_ path: String, _ devices: SyncDevices, _ a: SyncSession) throws {
    for _ in 0..<2 {
      // As a process does that has just begun.
      let session = try SyncSession(store: devices.path("a"))
      let report = try session.synchronize()
      #expect(report.failure == nil)
      let named = try #require(report.damaged.first { $0.path == path }, "\(report.damaged)")
      #expect(named.reason.contains("newer format"))
      #expect(named.reason.contains("update Tributary on this device"))
    }
    #expect(try a.rows("SELECT v FROM t WHERE id = 3") == ["of b"])
    let findings = try a.status().findings.filter {
      $0.contains(path) && $0.contains("newer format")
    }
    #expect(findings.count == 1, "\(findings)")
    try expectDiagnosed(path, devices)
  }

  private func expectDiagnosed(_ path: String, _ devices: SyncDevices) throws {
    let found = try Engine.diagnose(store: devices.path("a")).filter { $0.code == .newerFormat }
    #expect(found.map(\.path) == [path])
    #expect(found.allSatisfy { $0.severity == .warning && $0.remedy.contains("update Tributary") })
  }

  private func file(in directory: String) throws -> String {
    let names = try FileManager.default.contentsOfDirectory(atPath: directory).sorted()
    return directory + "/" + (try #require(names.last))
  }

  /// Writes another major version into a segment or a baseline.
  private func make(_ path: String, major: UInt8) throws {
    var bytes = try Data(contentsOf: URL(filePath: path))
    bytes[16] = major
    try bytes.write(to: URL(filePath: path))
  }

  private func rewrite(
    _ path: String, _ old: String, with new: String
  ) throws {
    let bytes = try Array(Data(contentsOf: URL(filePath: path)))
    let text = String(decoding: ManifestSeal.opened(bytes), as: UTF8.self)
    #expect(text.contains(old))
    try Data(ManifestSeal.sealed(Array(text.replacing(old, with: new).utf8)))
      .write(to: URL(filePath: path))
  }

  @Test func `a peer file of a newer major version is named, and the rest goes on`() throws {
    try withThree { devices, a, _, directory in
      try rewrite(directory + "/peer.json", #""major":1"#, with: #""major":3"#)
      try expectNamed(directory + "/peer.json", devices, a)
      // Its segments are those of a format that is known.
      #expect(try a.rows("SELECT v FROM t WHERE id = 2") == ["newer"])
    }
  }

  @Test func `a segment of a newer major version is named, and the rest goes on`() throws {
    try withThree { devices, a, _, directory in
      let path = try file(in: directory + "/log")
      try make(path, major: 2)
      try expectNamed(path, devices, a)
      #expect(try a.rows("SELECT v FROM t WHERE id = 2") == [])
    }
  }

  @Test func `a baseline of a newer major version is named, and a new device begins with the logs`()
    throws
  {
    try withThree { devices, a, _, directory in
      let path = try file(in: directory + "/baseline")
      try make(path, major: 2)
      let report = try devices.attach("d")
      #expect(report.baseline == nil)
      #expect(report.damaged.contains { $0.path == path && $0.reason.contains("newer format") })
      let d = try SyncSession(store: devices.path("d"))
      #expect(try d.rows("SELECT v FROM t ORDER BY id") == ["known", "newer", "of b"])
      try a.exchange()
      try expectDiagnosed(path, devices)
    }
  }

  @Test func `a newer minor version of a peer file is read, and what it has more is passed over`()
    throws
  {
    try withThree { devices, a, b, directory in
      let path = directory + "/peer.json"
      try rewrite(path, #""major":1,"minor":2"#, with: #""major":1,"minor":9"#)
      try rewrite(
        path, #""formats":{"#, with: #""formats":{"archive":{"newest":[7,7],"oldest":[1,0]},"#)
      try a.exchange()
      #expect(try a.rows("SELECT v FROM t ORDER BY id") == ["known", "newer", "of b"])
      #expect(try a.status().findings == [])
      #expect(try Engine.diagnose(store: devices.path("a")).allSatisfy { $0.severity == .note })
    }
  }

  @Test func `a peer whose program has left the versions that are written here is named`() throws {
    try withThree { devices, a, _, directory in
      try rewrite(
        directory + "/peer.json", #""log":{"newest":[1,1],"oldest":[1,0]}"#,
        with: #""log":{"newest":[2,4],"oldest":[2,0]}"#)
      try a.exchange()
      let found = try Engine.diagnose(store: devices.path("a")).filter { $0.code == .newerFormat }
      #expect(found.count == 1)
      #expect(found[0].explanation.contains("reads segments of the versions 2.0 to 2.4"))
      #expect(found[0].remedy == "update Tributary here")
    }
  }
}
