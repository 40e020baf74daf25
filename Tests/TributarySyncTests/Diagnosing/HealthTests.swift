import Foundation
import Testing
import TributaryStore
import TributarySync
import TributaryTesting

struct HealthTests {
  @Test func `nothing is found where nothing is wrong, and nothing is changed`() throws {
    try withDoctor { doctor in
      let before = try doctor.everything()
      #expect(try doctor.findings("a") == [])
      #expect(try doctor.findings("b") == [])
      #expect(try doctor.diagnoseContainer() == [])
      #expect(try doctor.everything() == before)
    }
  }

  @Test func `nothing is changed where much is wrong`() throws {
    try withDoctor { doctor in
      try doctor.a.execute("INSERT INTO t VALUES (3, 'three')")
      try doctor.damage("a", "DELETE FROM tributary_outbox WHERE sequence = 1")
      try change(doctor.segments(doctor.b)[0]) { $0.removeLast() }
      try FileManager.default.removeItem(atPath: doctor.segments(doctor.a)[0])
      let before = try doctor.everything()
      #expect(try doctor.findings("a") != [])
      #expect(try doctor.diagnoseContainer() != [])
      #expect(try doctor.everything() == before)
    }
  }

  @Test func `a store whose log was left behind by a crash keeps it`() throws {
    try withDoctor { doctor in
      try doctor.a.execute("INSERT INTO t VALUES (3, 'three')")
      let copy = doctor.devices.directory + "/copy.db"
      for suffix in ["", "-wal"] {
        try FileManager.default.copyItem(
          atPath: doctor.devices.path("a") + suffix, toPath: copy + suffix)
      }
      let before = try doctor.everything()
      #expect(before["copy.db-wal"]?.isEmpty == false)
      #expect(try Engine.diagnose(store: copy).map(\.text).contains("note unpublished"))
      #expect(try doctor.everything() == before)
    }
  }

  @Test func `what is not there cannot be looked at`() throws {
    try withDoctor { doctor in
      #expect(throws: StoreError.self) { try doctor.findings("nobody") }
      #expect(throws: (any Error).self) {
        try Engine.diagnose(container: doctor.devices.directory + "/nowhere")
      }
      let files = try doctor.everything()
      #expect(files["nobody.db"] == nil)
    }
  }

  @Test func `a container without logs is worth a note`() throws {
    try withTemporaryDirectory { directory in
      let findings = try Engine.diagnose(container: directory)
      #expect(findings.map(\.text) == ["note no-content"])
    }
  }

  @Test func `the content directory can be given instead of the container`() throws {
    try withDoctor { doctor in
      try change(doctor.segments(doctor.b)[0]) { $0.removeLast() }
      let whole = try Engine.diagnose(container: doctor.devices.container)
      for path in ["/tributary", "/tributary/C"] {
        #expect(try Engine.diagnose(container: doctor.devices.container + path) == whole)
      }
    }
  }
}
