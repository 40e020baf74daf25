import Foundation
import Testing
import TributaryTesting

/// `tributary baseline`.
struct BaselineCommandTests {
  @Test func `it says what it has written, and a new device says that it began with it`() throws {
    try withStores { stores in
      stores.sql("a", "INSERT INTO tracks (title) VALUES ('one'), ('two')")
      let written = Invocation("baseline", stores.path("a"))
      #expect(written.status == .done, "\(written.errors)")
      #expect(written.output.hasPrefix("\(stores.path("a")): \(stores.container)/"))
      #expect(written.output.hasSuffix(", with 2 rows of 1 transaction\n"))
      let attached = stores.attach("c")
      #expect(attached.status == .done, "\(attached.errors)")
      #expect(
        attached.output.contains(": rebuilt from 1 transaction, beginning with a baseline; peer "))
      #expect(stores.sql("c", "SELECT title FROM tracks") == "one\ntwo\n")
    }
  }

  @Test func `with --json it is an object`() throws {
    try withStores { stores in
      stores.sql("a", "INSERT INTO tracks (title) VALUES ('one')")
      let written = Invocation("baseline", stores.path("a"), "--json")
      #expect(written.status == .done, "\(written.errors)")
      try JSONSchema(named: "baseline").check(written.lines[0])
      let attached = stores.attach("c", "--json")
      try JSONSchema(named: "attach").check(attached.lines[0])
      #expect(attached.output.contains("\"baseline\":"))
    }
  }

  @Test func `a container that is away is an error`() throws {
    try withStores { stores in
      try FileManager.default.moveItem(
        atPath: stores.container, toPath: stores.directory + "/away")
      let written = Invocation("baseline", stores.path("a"))
      #expect(written.status == .failed)
      #expect(written.errors.contains("mount it"))
    }
  }
}
