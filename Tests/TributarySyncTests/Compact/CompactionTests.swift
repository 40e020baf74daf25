import Foundation
import Glibc
import Testing
import TributaryContainer
import TributaryCore
import TributaryFiles
import TributarySync
import TributaryTesting

/// A writer that replaces small segments of its own by a larger one.
struct CompactionTests {
  @Test func `small segments become one, and are removed after a while`() throws {
    try withCompactionFixture { fixture in
      try fixture.write(1...2, on: fixture.a)
      #expect(try fixture.files(of: fixture.a) == [1...1, 2...2])
      try fixture.write(3...3, on: fixture.a)
      #expect(try fixture.files(of: fixture.a) == [1...1, 1...3, 2...2, 3...3])
      try fixture.a.exchange()
      #expect(try fixture.files(of: fixture.a).count == 4)
      fixture.pass()
      try fixture.a.exchange()
      #expect(try fixture.files(of: fixture.a) == [1...3])
      try fixture.b.exchange()
      #expect(try fixture.b.store.digest().total == fixture.a.store.digest().total)
      #expect(try fixture.findings() == [])
    }
  }

  @Test func `where many small ones stay, the oldest of them are removed earlier`() throws {
    try withCompactionFixture { fixture in
      var environment = fixture.environment
      environment.segments.stayingLimit = 1
      environment.segments.shorterGraceMilliseconds = 100
      let a = try SyncSession(store: fixture.devices.path("a"), environment: environment)
      try fixture.write(1...3, on: a)
      #expect(try fixture.files(of: a) == [1...1, 1...3, 2...2, 3...3])
      fixture.clock.advance(by: 99)
      try a.exchange()
      #expect(try fixture.files(of: a).count == 4)
      fixture.clock.advance(by: 1)
      try a.exchange()
      #expect(try fixture.files(of: a) == [1...3, 3...3])
      fixture.pass()
      try a.exchange()
      #expect(try fixture.files(of: a) == [1...3])
      try fixture.b.exchange()
      #expect(try fixture.b.store.digest().total == a.store.digest().total)
      #expect(try fixture.findings() == [])
    }
  }

  @Test func `when nobody writes, compaction comes to an end and nothing is written any more`()
    throws
  {
    try withCompactionFixture { fixture in
      try fixture.write(1...40, on: fixture.a)
      for _ in 1...30 {
        fixture.pass()
        try exchange(fixture.a, fixture.b)
      }
      let before = try state(fixture)
      #expect(try fixture.files(of: fixture.a).count < 10)
      for _ in 1...5 {
        fixture.clock.advance(by: 86_400_000)
        try exchange(fixture.a, fixture.b)
        #expect(try fixture.a.compactStep() == .idle(until: nil))
      }
      #expect(try state(fixture) == before)
    }
  }

  /// All files, and when each was written. Every third day, `peer.json` states that the device is there, which changes its
  /// directory.
  private func state(_ fixture: CompactionFixture) throws -> [String] {
    try fixture.devices.present().map { path in
      let status = try LocalFileSystem().status(fixture.devices.directory + "/" + path)
      if path.hasSuffix("/peer.json") || status?.kind == .directory { return path }
      return "\(path) \(status?.size ?? 0) \(status?.modifiedNanoseconds ?? 0)"
    }
  }

  @Test func `a compacted segment that is lost comes back as the same file`() throws {
    try withCompactionFixture { fixture in
      try fixture.write(1...5, on: fixture.a)
      fixture.pass()
      try fixture.a.exchange()
      try fixture.a.exchange()
      let names = try fixture.names(of: fixture.a)
      #expect(try fixture.files(of: fixture.a) == [1...3, 4...4, 5...5])
      let files = try names.map { try fixture.read($0, of: fixture.a) }
      for name in names { try fixture.remove(name, of: fixture.a) }
      try fixture.a.exchange()
      #expect(try fixture.names(of: fixture.a) == names)
      #expect(try names.map { try fixture.read($0, of: fixture.a) } == files)
      // So it is when everything was lost, and one that has another size.
      try fixture.put(files[0].dropLast(), names[0], of: fixture.a)
      try fixture.a.exchange()
      #expect(try fixture.read(names[0], of: fixture.a) == files[0])
      try fixture.b.exchange()
      #expect(try fixture.b.rows("SELECT count(*) FROM t") == ["5"])
    }
  }

  @Test func `a store that has forgotten a compaction makes the same file again`() throws {
    try withCompactionFixture { fixture in
      try fixture.write(1...2, on: fixture.a)
      try fixture.insert(3, on: fixture.a)
      // Published, and then the power goes before the compaction is written down.
      _ = try fixture.a.publish()
      let backup = try StoreBackup(of: fixture.a)
      try fixture.a.exchange()
      let names = try fixture.names(of: fixture.a)
      #expect(try fixture.files(of: fixture.a) == [1...1, 1...3, 2...2, 3...3])
      _ = try backup.restore()
      let a = try SyncSession(store: fixture.devices.path("a"), environment: fixture.environment)
      #expect(try a.synchronize().isEmpty)
      #expect(try fixture.names(of: a) == names)
      fixture.pass()
      try exchange(a, fixture.b, a)
      #expect(try fixture.files(of: a) == [1...3])
      #expect(a.store.peer == fixture.a.store.peer)
      #expect(try fixture.findings() == [])
    }
  }

  @Test func `a store from a backup that remembers the small ones takes the compacted one instead`()
    throws
  {
    try withCompactionFixture { fixture in
      try fixture.write(1...2, on: fixture.a)
      try fixture.insert(3, on: fixture.a)
      _ = try fixture.a.publish()
      let backup = try StoreBackup(of: fixture.a)
      try fixture.a.exchange()
      fixture.pass()
      try fixture.a.exchange()
      try fixture.a.exchange()
      let names = try fixture.names(of: fixture.a)
      #expect(try fixture.files(of: fixture.a) == [1...3])
      _ = try backup.restore()
      let a = try SyncSession(store: fixture.devices.path("a"), environment: fixture.environment)
      for _ in 1...3 {
        try exchange(a, fixture.b)
        fixture.pass()
      }
      #expect(try fixture.names(of: a) == names)
      // It goes on under its identity: nothing was written beyond what it remembers.
      #expect(a.store.peer == fixture.a.store.peer)
      #expect(try fixture.findings() == [])
    }
  }

  @Test func `a store from a backup that has written since takes another identity`() throws {
    try withCompactionFixture { fixture in
      try fixture.write(1...1, on: fixture.a)
      let backup = try StoreBackup(of: fixture.a)
      try fixture.write(2...3, on: fixture.a)
      try fixture.b.exchange()
      fixture.pass()
      try fixture.a.exchange()
      try fixture.a.exchange()
      #expect(try fixture.files(of: fixture.a) == [1...3])
      _ = try backup.restore()
      let a = try SyncSession(store: fixture.devices.path("a"), environment: fixture.environment)
      fixture.clock.advance(by: 10)
      try a.store.write { try $0.execute("INSERT INTO t VALUES (100, 'other')") }
      #expect(try a.synchronize().renewal?.reissued == 1)
      for _ in 1...3 {
        fixture.pass()
        try exchange(a, fixture.b)
      }
      #expect(try a.rows("SELECT id FROM t") == ["1", "2", "3", "100"])
      #expect(try a.store.digest().total == fixture.b.store.digest().total)
      #expect(try fixture.findings() == [])
    }
  }

  @Test func `small ones that a carrier brings back are removed again`() throws {
    try withCompactionFixture { fixture in
      try fixture.write(1...3, on: fixture.a)
      let small = try fixture.names(of: fixture.a).filter { $0.contains("0003-") == false }
      let files = try small.map { try fixture.read($0, of: fixture.a) }
      fixture.pass()
      try exchange(fixture.a, fixture.b, fixture.a)
      #expect(try fixture.files(of: fixture.a) == [1...3])
      for (name, data) in zip(small, files) { try fixture.put(data, name, of: fixture.a) }
      try exchange(fixture.a, fixture.b)
      #expect(try fixture.findings() == [])
      fixture.pass()
      try exchange(fixture.a, fixture.b)
      #expect(try fixture.files(of: fixture.a) == [1...3])
    }
  }

  @Test func `nothing is removed while the compacted segment is not there`() throws {
    try withCompactionFixture { fixture in
      try fixture.write(1...3, on: fixture.a)
      let compacted = try #require(
        try fixture.names(of: fixture.a).first { $0.contains("01-0000000000000003") })
      let data = try fixture.read(compacted, of: fixture.a)
      fixture.pass()
      try fixture.put(data.dropLast(), compacted, of: fixture.a)
      #expect(try fixture.a.compactStep() == .idle(until: nil))
      try fixture.remove(compacted, of: fixture.a)
      #expect(try fixture.a.compactStep() == .idle(until: nil))
      #expect(try fixture.files(of: fixture.a) == [1...1, 2...2, 3...3])
      try fixture.put(data, compacted, of: fixture.a)
      // Two at a time.
      #expect(try fixture.a.compactStep() == .done(payload: 0))
      #expect(try fixture.files(of: fixture.a).count == 2)
      #expect(try fixture.a.compactStep() == .done(payload: 0))
      #expect(try fixture.files(of: fixture.a) == [1...3])
      #expect(try fixture.a.compactStep() == .idle(until: nil))
    }
  }

  @Test func `who waits interrupts a step, which leaves nothing behind`() throws {
    try withCompactionFixture { fixture in
      for id in 1...3 {
        try fixture.insert(id, on: fixture.a)
        _ = try fixture.a.publish()
      }
      #expect(try fixture.a.compactStep(isInterrupted: { true }) == .interrupted)
      #expect(try fixture.files(of: fixture.a) == [1...1, 2...2, 3...3])
      #expect(try fixture.names(of: fixture.a).count == 3)
      #expect(try fixture.a.compactStep() != .interrupted)
      #expect(try fixture.files(of: fixture.a).count == 4)
    }
  }

  @Test(arguments: [ENOSPC, EROFS, EACCES, EIO])
  func `where the container cannot be written nothing is lost, and it is reported`(
    code: Int32
  ) throws {
    let files = BrokenFileSystem(inPathsWith: "shared")
    try withCompactionFixture(using: files) { fixture in
      for id in 1...3 {
        try fixture.insert(id, on: fixture.a)
        _ = try fixture.a.publish()
      }
      // Nothing is to be published, so only the compaction meets it.
      let session = try SyncSession(
        store: fixture.devices.path("a"), environment: fixture.environment)
      files.fail([.writing], code: code)
      let report = try session.synchronize()
      #expect((report.failure as? ContainerError)?.underlying is FileError)
      #expect(try session.status().trouble != nil)
      #expect(try fixture.files(of: fixture.a) == [1...1, 2...2, 3...3])
      files.mend()
      #expect(try session.synchronize().failure == nil)
      #expect(try session.status().trouble == nil)
      fixture.pass()
      files.fail([.writing], code: code)
      #expect(try session.synchronize().failure != nil)
      #expect(try fixture.files(of: fixture.a).count == 4)
      files.mend()
      try exchange(session, fixture.b, session)
      #expect(try fixture.files(of: fixture.a) == [1...3])
      #expect(try fixture.b.rows("SELECT count(*) FROM t") == ["3"])
    }
  }

  @Test func `a watch compacts in a pause, and removes what it has compacted`() throws {
    try withCompactionFixture { fixture in
      let stop = StopSignal()
      let watch = try WorkerThread(name: "watch") {
        do {
          try fixture.a.watch(intervalMilliseconds: 200, stop: stop) { _ in }
        } catch {
          Issue.record(error)
        }
      }
      defer {
        stop.stop()
        watch.join()
      }
      for id in 1...3 {
        try fixture.insert(id, on: fixture.a)
        try eventually { try fixture.files(of: fixture.a).contains { $0.contains(UInt64(id)) } }
      }
      try eventually { try fixture.files(of: fixture.a).contains(1...3) }
      try eventually {
        // The grace begins when the store has recorded the compaction, which is after the file has appeared.
        fixture.pass()
        return try fixture.files(of: fixture.a) == [1...3]
      }
      try fixture.b.exchange()
      #expect(try fixture.b.rows("SELECT count(*) FROM t") == ["3"])
    }
  }

  @Test func `a wiped container is seeded anew, and compaction goes on there`() throws {
    try withCompactionFixture { fixture in
      try fixture.write(1...4, on: fixture.a)
      let own = try fixture.directory(of: fixture.a).peer(fixture.a.store.peer)
      try FileManager.default.removeItem(atPath: own)
      #expect(try fixture.a.synchronize().failure != nil)
      #expect(try fixture.a.synchronize(reseed: true).failure == nil)
      // As it was published: some by themselves, some compacted.
      #expect(try fixture.files(of: fixture.a).map(\.count).reduce(0, +) == 4)
      try fixture.write(5...9, on: fixture.a)
      for _ in 1...4 {
        fixture.pass()
        try exchange(fixture.a, fixture.b)
      }
      #expect(try fixture.b.rows("SELECT count(*) FROM t") == ["9"])
      #expect(try fixture.findings() == [])
      #expect(try Engine.verify(store: fixture.devices.path("b")).differenceCount == 0)
    }
  }

  @Test func `what was noted by a clock that was ahead keeps its grace`() throws {
    try withCompactionFixture { fixture in
      fixture.clock.advance(by: 3_600_000)
      try fixture.write(1...3, on: fixture.a)
      try fixture.a.exchange()
      #expect(try fixture.files(of: fixture.a).count == 4)
      fixture.clock.advance(by: -3_600_000)
      try fixture.a.exchange()
      #expect(try fixture.files(of: fixture.a).count == 4)
      fixture.clock.advance(by: CompactionFixture.grace - 1)
      try fixture.a.exchange()
      #expect(try fixture.files(of: fixture.a).count == 4)
      fixture.clock.advance(by: 1)
      try fixture.a.exchange()
      try fixture.a.exchange()
      #expect(try fixture.files(of: fixture.a) == [1...3])
    }
  }

  @Test func `a rebuilt store goes on with what it has compacted`() throws {
    try withTemporaryDirectory { directory in
      var environment = StoreEnvironment()
      let path = try { () throws -> String in
        let fixture = try CompactionFixture(in: directory)
        environment = fixture.environment
        try fixture.write(1...5, on: fixture.a)
        try fixture.b.exchange()
        try fixture.a.store.service {
          try $0.execute("UPDATE tributary_segment SET last = 99 WHERE first = 1")
        }
        return fixture.devices.path("a")
      }()
      _ = try Engine.rebuild(store: path, environment: environment)
      let session = try SyncSession(store: path, environment: environment)
      try session.exchange()
      #expect(try session.rows("SELECT count(*) FROM t") == ["5"])
      let damaged = try Engine.diagnose(store: path, environment: environment).filter {
        $0.severity != .note
      }
      #expect(damaged.isEmpty, "\(damaged)")
    }
  }
}
