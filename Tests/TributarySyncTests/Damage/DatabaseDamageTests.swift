import Foundation
import Testing
import TributarySQLite
import TributaryStore
import TributarySync
import TributaryTesting

/// Bytes of the database file, or of its write-ahead log, that are not those that were written.
struct DatabaseDamageTests {
  @Test(arguments: 0..<2)
  func `a damaged database file stops no process, harms no other device, and is mended`(
    part: UInt64
  ) throws {
    let template = try DamageTemplate.shared.get()
    for seeds in Soak.seeds(part: part, of: 2, otherwise: 3) {
      try withSeeds(seeds, filter: "DatabaseDamageTests") { random in
        try withTemporaryDirectory { directory in
          let devices = try template.copy(to: directory)
          let path = devices.path("a")
          // As the time of a file stays when the disk damages it.
          let disk = try Connection(path: path, mode: .readWrite)
          let nanoseconds = try #require(disk.writtenNanoseconds)
          try change(path) { data in
            let start = random.number(0...data.count - 1)
            let count = random.pick([1, 16, 512, 4096])
            for index in start..<min(start + count, data.count) {
              data[index] = UInt8.random(in: 0...255, using: &random)
            }
          }
          #expect(disk.setWritten(nanoseconds: nanoseconds))
          disk.close()
          trace("seed \(random.seed)")
          try DamagedLife(devices: devices, template: template).run(mayBeUnseen: true)
        }
      }
      Soak.didFinish("damaged files")
    }
  }

  @Test func `a damaged write-ahead log loses at most what came after the damage`() throws {
    try withSeeds(0..<20, filter: "DatabaseDamageTests") { random in
      try withDoctor { doctor in
        for id in 20..<30 { try doctor.a.execute("INSERT INTO t VALUES (\(id), 'v\(id)')") }
        let copy = doctor.devices.directory + "/copy.db"
        for suffix in ["", "-wal"] {
          try FileManager.default.copyItem(
            atPath: doctor.devices.path("a") + suffix, toPath: copy + suffix)
        }
        try change(copy + "-wal") { data in
          data[random.number(0...data.count - 1)] ^= 0x41
        }
        let store = try LocalStore(path: copy, milliseconds: { 0 })
        let ids = try store.read { try $0.query("SELECT id FROM t WHERE id >= 20 ORDER BY id") }
          .map { $0.values }
        #expect(ids == (20..<20 + ids.count).map { [.integer(Int64($0))] }, "\(random)")
        // A commit and its record are lost together; row 11 is of the other device.
        let own = try store.read { try $0.query("SELECT count(*) FROM t WHERE id <> 11") }
        let last = try store.read {
          try $0.query("SELECT ifnull(max(sequence), 0) FROM tributary_outbox")
        }
        #expect(last.map(\.values) == own.map(\.values), "\(random)")
      }
    }
  }

  @Test func `a store whose replicated tables are damaged is rebuilt from its bookkeeping`() throws
  {
    try withDoctor { doctor in
      try doctor.a.execute("CREATE TABLE log (v); INSERT INTO t VALUES (3, 'unpublished')")
      try doctor.a.store.service { try $0.execute("PRAGMA wal_checkpoint(TRUNCATE)") }
      let path = doctor.devices.directory + "/copy.db"
      try FileManager.default.copyItem(atPath: doctor.devices.path("a"), toPath: path)
      let before = try doctor.a.store.digest().total
      let connection = try Connection(path: path, mode: .readWrite)
      let root = Int(
        try connection.integer("SELECT rootpage FROM sqlite_schema WHERE name = 't'") ?? 0)
      let size = Int(try connection.integer("PRAGMA page_size") ?? 0)
      connection.close()
      try change(path) { data in
        for index in (root - 1) * size..<root * size { data[index] = 0xA5 }
      }
      let finding = try #require(try Engine.diagnose(store: path).first { $0.severity == .damage })
      #expect(finding.code == .database)
      #expect(finding.remedy.contains("Store.rebuild(at:)"))
      // Nobody can tell what else was in the damaged table.
      let kept = try #require(try Engine.rebuild(store: path).setAside)
      #expect(kept.rows == nil && FileManager.default.fileExists(atPath: kept.path))
      #expect(try SyncSession(store: path).store.digest().total == before)
      #expect(try Engine.verify(store: path).differenceCount == 0)
    }
  }
}
