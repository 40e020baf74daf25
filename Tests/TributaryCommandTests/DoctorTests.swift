import Foundation
import Testing
import TributaryCommand
import TributaryTesting

struct DoctorTests {
  private func exchange(_ stores: StoreFixture) {
    for _ in 0..<2 {
      for name in ["a", "b"] { #expect(Invocation("sync", stores.path(name)).status == .done) }
    }
  }

  @Test func `a healthy store, and a healthy container, have nothing`() throws {
    try withStores { stores in
      stores.sql("a", "INSERT INTO tracks (id, title) VALUES (1, 'x')")
      exchange(stores)
      for path in [stores.path("a"), stores.path("b"), stores.container] {
        let run = Invocation("doctor", path)
        #expect(run.status == .done)
        #expect(run.lines[0] == "Nothing found.")
        #expect(run.errors.isEmpty)
        #expect(Invocation("doctor", "-q", path).output.isEmpty)
        // A store has a line more, about its sizes.
        let isStore = path != stores.container
        #expect(run.lines.count == (isStore ? 2 : 1))
        let json = Invocation("doctor", "--json", path).lines
        #expect(json.count == (isStore ? 1 : 0))
        #expect(json.allSatisfy { $0.contains(#""finding":"disk-use","severity":"note""#) })
      }
    }
  }

  @Test func `notes are printed and do not count`() throws {
    try withStores { stores in
      exchange(stores)
      stores.sql("a", "INSERT INTO tracks (id, title) VALUES (1, 'x')")
      let run = Invocation("doctor", stores.path("a"))
      #expect(run.status == .done)
      #expect(run.lines.count == 2)
      #expect(run.lines[0].hasPrefix("note: this store has not published 1 transaction yet"))
      #expect(run.lines[0].hasSuffix("; run `tributary sync`"))
      #expect(run.lines[1].hasPrefix("disk use: store "))
    }
  }

  @Test func `damage is a line with its remedy, and exit status 3`() throws {
    try withStores { stores in
      stores.sql("a", "INSERT INTO tracks (id, title) VALUES (1, 'x')")
      exchange(stores)
      let path = try stores.segments()[0]
      try Data().write(to: URL(filePath: path))
      for target in [stores.path("a"), stores.path("b"), stores.container] {
        let run = Invocation("doctor", target)
        #expect(run.status == .damage)
        #expect(run.lines[0].hasPrefix("damage: \(path): truncated: the file is empty"))
        let json = Invocation("doctor", "--json", target)
        #expect(json.status == .damage)
        #expect(json.lines.count == run.lines.count)
        for line in json.lines { try JSONSchema(named: "doctor").check(line) }
        #expect(json.lines[0].contains(#""finding":"segment-empty","severity":"damage","peer":""#))
      }
    }
  }

  @Test func `what cannot be looked at is exit status 1`() throws {
    try withStores { stores in
      let run = Invocation("doctor", stores.path("nobody"))
      #expect(run.status == .failed)
      #expect(run.errors.contains("there is no such database"))
      #expect(Invocation("doctor").status == .usage)
    }
  }

  @Test func `a container that is not there is not taken for a missing store alone`() throws {
    try withStores { stores in
      let path = stores.directory + "/nothing"
      let run = Invocation("doctor", path)
      #expect(run.status == .failed)
      #expect(
        run.errors
          == "tributary: \(path): there is no such database, and no such directory; check the path; if it is a container, "
          + "mount it, or make the directory; if it is a store, run `tributary attach` to make it or have it rebuilt\n"
      )
    }
  }

  @Test func `a file that is no database is said to be none`() throws {
    try withStores { stores in
      try stores.write(String(repeating: "text\n", count: 500), to: "text.db")
      let run = Invocation("doctor", stores.path("text"))
      #expect(run.status == .damage)
      #expect(
        run.output
          == "damage: \(stores.path("text")) is not an SQLite database, or its beginning was overwritten; check the path; "
          + "if this was a store, move the file away and run `tributary attach` again: what had been published comes back "
          + "from the container\n")
    }
  }
}
