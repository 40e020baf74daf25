import Testing
import TributarySQLite
import TributaryStore
import TributarySync
import TributaryTesting

/// A write-ahead log that a connection cannot read.
struct UnreadableLogTests {
  @Test(arguments: [CaptureMethod.hook, .triggers])
  func `a log that could not be read for a moment leaves no doubt`(method: CaptureMethod) throws {
    try withTemporaryDirectory { directory in
      let devices = try SyncDevices(in: directory)
      try devices.attach(
        "a", "CREATE TABLE t (id INTEGER PRIMARY KEY, x); CREATE TABLE own (x);",
        tables: .except(["own"]), capture: method)
      let recorder = try DiskRecorder(below: directory)
      try RecordingVFS.record(recorder) {
        try devices.withOwnConnection(to: "a") { connection in
          try connection.immediate { try connection.execute("INSERT INTO own VALUES (1)") }
          recorder.hasUnreadableLogs = true
          #expect(try ForeignCapture(connection).isBroken())
          recorder.hasUnreadableLogs = false
          #expect(try !ForeignCapture(connection).isBroken())
        }
      }
    }
  }
}
