import Foundation
import Testing

/// Two devices share notes.
struct NotesTests {
  private func withDevices(_ body: (_ desk: Example, _ phone: Example) throws -> Void) throws {
    let directory = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    defer { try? FileManager.default.removeItem(at: directory) }
    let shared = directory.appending(path: "shared")
    try FileManager.default.createDirectory(at: shared, withIntermediateDirectories: true)
    let devices = ["desk", "phone"].map { device in
      Example(
        name: "notes",
        environment: [
          "NOTES_SHARED": shared.path, "TRIBUTARY_DATA": directory.appending(path: device).path,
        ])
    }
    try body(devices[0], devices[1])
  }

  @Test func `what one device writes, the other reads`() throws {
    try withDevices { desk, phone in
      try desk("new", "Trip")
      try desk("add", "Trip", "Pack")
      try phone("add", "Trip", "Buy tickets")
      try phone("check", "Trip", "1")
      #expect(try desk("show", "Trip") == "1. [x] Pack\n2. [ ] Buy tickets\n")
      #expect(try phone("show", "Trip") == desk("show", "Trip"))
      #expect(try phone("list") == "Trip\n")
    }
  }

  @Test func `a note is renamed and deleted on all devices`() throws {
    try withDevices { desk, phone in
      try desk("new", "Trip")
      try desk("add", "Trip", "Pack")
      try phone("rename", "Trip", "Journey")
      #expect(try desk("list") == "Journey\n")
      #expect(try desk("show", "Journey") == "1. [ ] Pack\n")
      try desk("delete", "Journey")
      #expect(try phone("list") == "")
      let outcome = try phone.run(["show", "Journey"])
      #expect(outcome.status == 1)
      #expect(outcome.errors.hasPrefix("notes: ") && outcome.errors.contains("Journey.note"))
    }
  }

  @Test func `a wrong command says what is right`() throws {
    try withDevices { (desk, _) throws in
      let outcome = try desk.run(["sing"])
      #expect(outcome.status == 2)
      #expect(outcome.errors.hasPrefix("notes: usage: notes list | new NAME"))
    }
  }
}
