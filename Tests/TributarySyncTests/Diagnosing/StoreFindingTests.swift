import Foundation
import Testing
import TributarySimulation
import TributarySync
import TributaryTesting

/// What is wrong with a store itself.
struct StoreFindingTests {
  @Test(arguments: [
    ("DELETE FROM tributary_outbox WHERE sequence = 1", "damage outbox"),
    ("UPDATE tributary_outbox SET changes = x'ff00' WHERE sequence = 2", "damage outbox"),
    ("UPDATE tributary_outbox SET changes = x'' WHERE sequence = 2", "damage outbox"),
    ("UPDATE tributary_outbox SET changes = 'text' WHERE sequence = 2", "damage outbox"),
    ("UPDATE tributary_outbox SET time = 5 WHERE sequence = 2", "damage outbox"),
    ("UPDATE tributary_outbox SET time = time + 65536 WHERE sequence = 2", "damage outbox"),
    ("UPDATE tributary_outbox SET schema = 77", "damage outbox"),
    ("UPDATE tributary_outbox SET basis = x'00'", "damage outbox"),
    ("INSERT INTO tributary_outbox_piece VALUES (9, 1, x'00')", "damage outbox"),
    ("INSERT INTO tributary_outbox_piece VALUES (2, 2, x'')", "damage outbox"),
    ("UPDATE tributary_shape SET definition = x'00' WHERE id = 1", "damage bookkeeping"),
    ("DELETE FROM tributary_shape", "damage outbox"),
    ("UPDATE tributary_segment SET last = 9", "damage bookkeeping"),
    ("UPDATE tributary_segment SET name = 'x' WHERE first = 1", "damage bookkeeping"),
    ("DELETE FROM tributary_segment WHERE first = 1", "damage bookkeeping"),
    ("UPDATE tributary_peer SET sequence = 99", "damage bookkeeping"),
    ("UPDATE tributary_peer SET peer = x'00'", "damage bookkeeping"),
    (
      "UPDATE tributary_peer SET peer = (SELECT value FROM tributary_store WHERE key = 'peer')",
      "damage bookkeeping"
    ),
    ("DELETE FROM tributary_peer", "damage bookkeeping"),
    ("UPDATE tributary_knowledge SET sequence = 50", "damage bookkeeping"),
    ("UPDATE tributary_knowledge SET after = 50", "damage bookkeeping"),
    ("DELETE FROM tributary_knowledge", "damage bookkeeping"),
    ("INSERT INTO tributary_held VALUES ('t', x'01', 1, x'ffff')", "damage bookkeeping"),
    (
      "INSERT INTO tributary_birth VALUES ('t', 1, x'00', 1, 1, x'', x'', x'')",
      "damage bookkeeping"
    ),
    ("UPDATE tributary_store SET value = 'x' WHERE key = 'peer'", "damage bookkeeping"),
    ("DELETE FROM tributary_store WHERE key = 'version'", "damage bookkeeping"),
    ("UPDATE tributary_store SET value = '../..' WHERE key = 'content_root'", "damage bookkeeping"),
    ("UPDATE tributary_store SET value = 7 WHERE key = 'version'", "warning newer-bookkeeping"),
    ("DROP TABLE tributary_knowledge", "damage bookkeeping"),
    ("ALTER TABLE tributary_peer DROP COLUMN time", "damage bookkeeping"),
    ("DROP TABLE tributary_store", "warning not-attached"),
    ("INSERT INTO c VALUES (1, 77)", "damage foreign-key"),
  ])
  func `a row of the bookkeeping that cannot be is told`(sql: String, expected: String) throws {
    try withDoctor { doctor in
      try doctor.damage("a", sql)
      let findings = try doctor.findings("a")
      #expect(findings.map(\.text).contains(expected))
      for finding in findings { #expect(!finding.remedy.isEmpty) }
      // It looks at everything else all the same.
      try change(doctor.segments(doctor.b)[0]) { $0.removeLast() }
      #expect(try doctor.diagnose("b").contains("damage segment-truncated"))
    }
  }

  @Test func `what cannot be looked at is told, and stops nothing else`() throws {
    try withDoctor { doctor in
      try doctor.damage("a", "DROP TABLE tributary_peer")
      try change(doctor.segments(doctor.b)[0]) { $0.removeLast() }
      let codes = Set(try doctor.diagnose("a"))
      #expect(codes.contains("damage bookkeeping"))
      #expect(codes.contains("warning unexamined"))
      #expect(codes.contains("damage segment-truncated"))
    }
  }

  @Test func `a database that SQLite finds damaged is told, wherever the bytes were changed`()
    throws
  {
    try withSeeds(0..<40) { random in
      try withDoctor { doctor in
        for session in [doctor.a, doctor.b] {
          try session.store.service { try $0.execute("PRAGMA wal_checkpoint(TRUNCATE)") }
        }
        let path = doctor.devices.directory + "/copy.db"
        try FileManager.default.copyItem(atPath: doctor.devices.path("a"), toPath: path)
        try change(path) { data in
          let start = random.number(0...data.count / 4096 - 1) * 4096
          for index in start..<min(start + 4096, data.count) { data[index] = 0xA5 }
        }
        let findings: [Finding]
        do { findings = try Engine.diagnose(store: path) } catch { return }
        // Free pages hold nothing.
        if findings.isEmpty { return }
        try #require(findings.contains { $0.severity == .damage })
      }
    }
  }

  @Test func `a restored backup is told, however much it has written since`() throws {
    for writes in 0...2 {
      try withDoctor { doctor in
        try doctor.a.store.service { try $0.execute("PRAGMA wal_checkpoint(TRUNCATE)") }
        let backup = doctor.devices.directory + "/backup.db"
        try FileManager.default.copyItem(atPath: doctor.devices.path("a"), toPath: backup)
        try doctor.a.execute("INSERT INTO t VALUES (3, 'three')")
        try doctor.a.exchange()
        try doctor.b.exchange()
        let restored = try SyncSession(store: backup, environment: .blind)
        for id in 0..<writes { try restored.execute("INSERT INTO t VALUES (\(id + 5), 'v\(id)')") }
        let findings = try Engine.diagnose(store: backup, environment: .blind).filter {
          $0.severity == .damage
        }
        #expect(findings.map(\.code) == [.identity])
        #expect(findings[0].remedy.contains("store.synchronize()"))
        #expect(try doctor.diagnose("a").filter { !$0.hasPrefix("note") } == [])
      }
    }
  }

  @Test func `a published transaction that was changed in the outbox is told`() throws {
    try withDoctor { doctor in
      // As good a transaction as the one that was published.
      try doctor.damage(
        "a",
        """
        UPDATE tributary_outbox SET changes = (
          SELECT changes FROM tributary_outbox WHERE sequence = 1) WHERE sequence = 2
        """)
      #expect(
        try doctor.diagnose("a").filter { !$0.contains("foreign-writes") } == ["damage outbox"])
      #expect(try doctor.findings("a").contains { $0.explanation.contains("transaction 2") })
    }
  }

  @Test func `own segments that have disappeared are told`() throws {
    try withDoctor { doctor in
      let path = try doctor.segments(doctor.a)[0]
      try FileManager.default.removeItem(atPath: path)
      let findings = try doctor.findings("a").filter { $0.code == .ownSegmentLost }
      #expect(findings.map(\.path) == [path])
      try doctor.a.exchange()
      #expect(try doctor.diagnose("a") == [])
    }
  }

  @Test func `files beside the store are told`() throws {
    try withDoctor { doctor in
      let path = doctor.devices.directory + "/copy.db"
      try doctor.a.store.service { try $0.execute("PRAGMA wal_checkpoint(TRUNCATE)") }
      try FileManager.default.copyItem(atPath: doctor.devices.path("a"), toPath: path)
      for suffix in ["-wal", "-tributary-staging"] {
        try Data().write(to: URL(filePath: path + suffix))
      }
      #expect(truncate(path + "-wal", 70 << 20) == 0)
      #expect(
        try Engine.diagnose(store: path, environment: .blind).map(\.text)
          == ["warning write-ahead-log", "note staging"])
    }
  }

  @Test func `tables and triggers that are left out are told`() throws {
    try withDoctor { doctor in
      try doctor.a.execute(
        """
        CREATE VIRTUAL TABLE words USING fts5(v);
        CREATE TRIGGER refusing AFTER INSERT ON t BEGIN
          INSERT INTO words VALUES (new.v);
          SELECT raise(ABORT, 'no') WHERE new.id < 0;
        END
        """)
      try doctor.damage("a", "CREATE TABLE odd (oid, rowid, _rowid_)")
      let findings = try doctor.findings("a").filter { $0.severity == .warning }
      #expect(findings.map(\.code) == [.table, .trigger])
      #expect(findings[0].explanation.contains("odd"))
      #expect(findings[1].explanation.contains("refusing"))
    }
  }
}
