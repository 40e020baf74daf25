import Foundation
import Testing
import TributaryCommand
import TributaryCore
import TributaryStore

/// `conflicts list`, `show` and `resolve`; the conflicts are put into the bookkeeping by hand.
struct ConflictsTests {
  private static let lost = "00000000000000aa"
  private static let held = "00000000000000bb"

  /// Lends two stores that have met; `b` has an update and a held row in conflict.
  private func withConflicts(_ body: (StoreFixture) throws -> Void) throws {
    try withStores { stores in
      stores.sql("a", "INSERT INTO tracks VALUES (1, 'one', 1.5, x'00'), (2, 'two', NULL, NULL)")
      #expect(Invocation("sync", stores.path("a"), stores.path("b")).status == .done)
      stores.sql("b", "INSERT INTO pairs VALUES ('x', 1, NULL)")
      #expect(Invocation("sync", stores.path("b"), stores.path("a")).status == .done)
      let a = try side("a", stores)
      let b = try side("b", stores)
      try put(
        Conflict(
          id: Self.lost, table: "tracks", key: [1], kind: .update, isHeld: false,
          values: [cell("title", "Eins"), cell("cover", .blob([0xff, 0x1b]))], winner: a, loser: b),
        stores)
      try put(
        Conflict(
          id: Self.held, table: "pairs", key: ["k\u{1B}", 3], kind: .foreignKey, isHeld: true,
          values: [cell("a", "k\u{1B}"), cell("b", 3), cell("v", .null)], winner: b, loser: a),
        stores)
      try body(stores)
    }
  }

  private func cell(_ column: String, _ value: Value) -> Conflict.Cell {
    Conflict.Cell(column: column, value: value)
  }

  private func service<Result>(
    _ stores: StoreFixture, _ name: String, _ body: (LocalStore) throws -> Result
  ) throws -> Result {
    try body(LocalStore(path: stores.path(name), milliseconds: { 0 }))
  }

  private func put(_ conflict: Conflict, _ stores: StoreFixture) throws {
    try service(stores, "b") { store in
      try store.service { connection in
        let table = try ReplicatedSchema(connection, selection: .all).table(named: conflict.table)
        let row = try #require(table).identity(key: conflict.key, number: 0).key
        try ConflictTable(connection).put(conflict, row: row)
        // The store has looked at all its own writes.
        let last = try Outbox(connection).last()?.sequence ?? .zero
        try Settings(connection).set(.examined, .integer(Int64(last.rawValue)))
      }
    }
  }

  private func side(_ name: String, _ stores: StoreFixture) throws -> Conflict.Side {
    Conflict.Side(
      peer: try service(stores, name) { try $0.identity().peer }, sequence: SequenceNumber(1),
      time: HybridTime(milliseconds: 1_700_000_000_000, counter: 7))
  }

  private func json(_ stores: StoreFixture, _ name: String) throws -> String {
    let peer = try side(name, stores).peer
    return #"{"peer":"\#(peer)","sequence":1,"time":"2023-11-14T22:13:20.000Z"}"#
  }

  @Test func `without conflicts there is nothing to list`() throws {
    try withStores { stores in
      let text = Invocation("conflicts", "list", stores.path("a"))
      #expect(text.status == .done)
      #expect(text.output == "\(stores.path("a")): no conflicts\n")
      #expect(Invocation("conflicts", "list", stores.path("a"), "--quiet").output.isEmpty)
      let json = Invocation("conflicts", "list", stores.path("a"), "--json", "--all")
      #expect(json.status == .done)
      #expect(json.output.isEmpty)
    }
  }

  @Test func `the JSON of conflicts is as promised`() throws {
    try withConflicts { stores in
      let run = Invocation("conflicts", "list", stores.path("b"), "--json")
      let a = try json(stores, "a")
      let b = try json(stores, "b")
      #expect(run.status == .done)
      #expect(
        run.output == """
          {"id":"\(Self.held)","table":"pairs","key":["k\\u001b",3],"kind":"foreign key","held":true,\
          "values":{"a":"k\\u001b","b":3,"v":null},"winner":\(b),"loser":\(a)}
          {"id":"\(Self.lost)","table":"tracks","key":1,"kind":"update","held":false,\
          "values":{"title":"Eins","cover":{"blob":"ff1b"}},"winner":\(a),"loser":\(b)}

          """)
      let schema = try JSONSchema(named: "conflict")
      for line in run.lines { try schema.check(line) }
      #expect(throws: JSONSchema.Failure.self) {
        try schema.check(run.lines[0].replacing(#""held":true"#, with: #""held":1"#))
      }

      let shown = Invocation("conflicts", "show", stores.path("b"), Self.lost, "--json")
      #expect(
        shown.output == run.lines[1].dropLast()
          + #","row":{"id":1,"title":"one","length":1.5,"cover":{"blob":"00"}}}"# + "\n")
      let other = Invocation("conflicts", "show", stores.path("b"), Self.held, "--json")
      #expect(other.output == run.lines[0].dropLast() + #","row":null}"# + "\n")
      for line in shown.lines + other.lines { try schema.check(line) }
    }
  }

  @Test func `the table says what lost, what won, and whose it was`() throws {
    try withConflicts { stores in
      let run = Invocation("conflicts", "list", stores.path("b"))
      let time = "2023-11-14T22:13:20.000Z"
      #expect(
        run.output == """
          ID                TABLE   KEY           KIND         HELD  \
          LOST                             NOW                           \
          LOST BY  AT                        WON BY  AT
          \(Self.held)  pairs   ('k\\x1b', 3)  foreign key  yes   \
          a = 'k\\x1b', b = 3, v = NULL     held                          \
          A        \(time)  B       \(time)
          \(Self.lost)  tracks  1             update       no    \
          title = 'Eins', cover = x'ff1b'  title = 'one', cover = x'00'  \
          B        \(time)  A       \(time)

          """)
      let shown = Invocation("conflicts", "show", stores.path("b"), Self.lost)
      #expect(
        shown.output == """
          conflict: \(Self.lost)
          table:    tracks
          key:      1
          kind:     update
          held:     no
          lost:     transaction 1 of B, \(time)
          won:      transaction 1 of A, \(time)

          COLUMN  LOST     NOW
          id               1
          title   'Eins'   'one'
          length           1.5
          cover   x'ff1b'  x'00'

          """)
      let other = Invocation("conflicts", "show", stores.path("b"), Self.held)
      #expect(
        other.output.hasSuffix(
          "COLUMN  LOST     NOW\na       'k\\x1b'  -\nb       3        -\nv       NULL     -\n"))
    }
  }

  @Test func `a conflict is settled once, and the outcome travels`() throws {
    try withConflicts { stores in
      let words = ["conflicts", "resolve", stores.path("b"), Self.lost]
      let run = Invocation(words: words + ["--restore"])
      #expect(run.status == .done, "\(run.errors)")
      #expect(
        run.output
          == "\(stores.path("b")): conflict \(Self.lost) settled, what was lost is restored\n")
      for option in ["--restore", "--keep"] {
        let again = Invocation(words: words + [option])
        #expect(again.status == .done)
        #expect(again.output == "\(stores.path("b")): conflict \(Self.lost) had ended already\n")
      }
      let kept = Invocation("conflicts", "resolve", stores.path("b"), Self.held, "--keep", "-q")
      #expect(kept.status == .done && kept.output.isEmpty)
      #expect(Invocation("conflicts", "list", stores.path("b"), "--json").output.isEmpty)
      let all = Invocation("conflicts", "list", stores.path("b"), "--json", "--all")
      #expect(all.lines.count == 2)
      for line in all.lines {
        try JSONSchema(named: "conflict").check(line)
        #expect(line.contains(#","ended":"2"#))
      }
      let table = Invocation("conflicts", "list", stores.path("b"), "--all")
      #expect(table.lines[0].hasSuffix("  ENDED") && table.lines.count == 3)
      #expect(
        Invocation("conflicts", "show", stores.path("b"), Self.held).output.contains(
          "\nended:    2"))
      #expect(Invocation("sync", stores.path("b"), stores.path("a")).status == .done)
      #expect(
        stores.sql("a", "SELECT title, hex(cover) FROM tracks WHERE id = 1") == "Eins\tFF1B\n")
      let log = Invocation("log", "show", stores.container, "--json").lines.joined()
      #expect(log.contains(#""op":"delete","key":["k\u001b",3]"#))
    }
  }

  @Test func `sync and status count the conflicts`() throws {
    try withConflicts { stores in
      let sync = Invocation("sync", stores.path("b"), "--json")
      #expect(sync.output.hasSuffix(#","conflicts":2}"# + "\n"))
      #expect(
        Invocation("sync", stores.path("b")).output
          == "\(stores.path("b")): nothing new, 2 conflicts\n")
      #expect(Invocation("status", stores.path("b"), "--json").output.contains(#""conflicts":2,"#))
      #expect(Invocation("status", stores.path("b")).output.contains("\nconflicts:   2\n"))
      #expect(
        Invocation("conflicts", "resolve", stores.path("b"), Self.lost, "--keep").status == .done)
      #expect(Invocation("sync", stores.path("b"), "--json").output.contains(#""conflicts":1}"#))
    }
  }

  @Test(arguments: [["show"], ["resolve", "--keep"], ["resolve", "--restore"]])
  func `an unknown conflict is one line`(words: [String]) throws {
    try withStores { stores in
      let run = Invocation(
        words: ["conflicts", words[0], stores.path("a"), "n\u{1B}pe"] + words.dropFirst())
      #expect(run.status == .failed)
      #expect(run.output.isEmpty)
      #expect(
        run.errors.hasPrefix("tributary: \(stores.path("a")): there is no conflict n\\x1bpe; "))
      #expect(run.errors.filter { $0 == "\n" }.count == 1)
    }
  }

  @Test func `what cannot be restored is one line, and nothing has changed`() throws {
    try withConflicts { stores in
      stores.sql("b", "UPDATE tracks SET title = 'Eins' WHERE id = 2")
      let run = Invocation("conflicts", "resolve", stores.path("b"), Self.lost, "--restore")
      #expect(run.status == .failed)
      #expect(run.errors.contains("UNIQUE constraint failed: tracks.title;"))
      #expect(run.errors.filter { $0 == "\n" }.count == 1)
      #expect(Invocation("conflicts", "list", stores.path("b"), "--json").lines.count == 2)
    }
  }
}
