import Foundation
import Synchronization
import Testing
import TributaryContainer
import TributaryCore
import TributaryFiles
import TributaryKeyValue
import TributarySQLite
import TributaryStore
import TributarySync
import TributaryTesting

struct EngineTests {
  @Test func `a key that is set often in one interval is written twice`() throws {
    try withTemporaryDirectory { directory in
      let asked = Recorded<Duration>()
      let device = try Households(in: directory).device(
        "a", interval: .seconds(3600), flushLater: { asked.append($0) })
      for number in 1...10_000 { try device.engine.set(.integer(Int64(number)), for: "k") }
      #expect(try device.transactions() == 1)
      #expect(try device.contents() == ["k": .integer(10_000)])
      #expect(asked.all.count == 1)
      #expect(device.engine.flushPending() == nil)
      #expect(try device.transactions() == 2)
      #expect(try device.contents() == ["k": .integer(10_000)])
      try device.engine.remove("k")
      try device.engine.close()
      let again = try Households(in: directory).device("a")
      #expect(try again.contents() == [:])
      #expect(try again.transactions() == 3)
    }
  }

  @Test func `what cannot be written is kept and tried again`() throws {
    try withTemporaryDirectory { directory in
      let asked = Recorded<Duration>()
      let household = try Households(in: directory)
      let device = try household.device(
        "a", interval: .seconds(3600), flushLater: { asked.append($0) })
      try device.engine.set(.integer(1), for: "k")
      try device.engine.set(.integer(2), for: "k")
      try device.engine.store!.service { try $0.execute("ALTER TABLE key_value RENAME TO away") }
      #expect(device.engine.flushPending() != nil)
      #expect(asked.all.count == 2)
      try device.engine.store!.service { try $0.execute("ALTER TABLE away RENAME TO key_value") }
      #expect(device.engine.flushPending() == nil)
      #expect(try device.contents() == ["k": .integer(2)])
    }
  }

  @Test func `two processes on one store see each other's sets`() throws {
    try withTemporaryDirectory { directory in
      let household = try Households(in: directory)
      let (one, other) = (try household.device("a"), try household.device("a"))
      try one.engine.set(.integer(1), for: "k")
      #expect(try other.contents() == ["k": .integer(1)])
      try other.engine.set(.integer(2), for: "k")
      #expect(try one.contents() == ["k": .integer(2)])
      try other.engine.remove("k")
      #expect(try one.contents() == [:])
    }
  }

  @Test
  func `a removal and the limits see what another process has set, also while something waits`()
    throws
  {
    try withTemporaryDirectory { directory in
      let household = try Households(in: directory)
      let one = try household.device("a", .compact, interval: .seconds(3600), flushLater: { _ in })
      let other = try household.device("a")
      try one.engine.set(.integer(1), for: "written")
      try one.engine.set(.integer(1), for: "pending")
      try other.engine.set(.integer(2), for: "theirs")
      #expect(try one.engine.remove("theirs"))
      try one.engine.flush()
      #expect(try other.contents() == ["pending": .integer(1), "written": .integer(1)])
      try one.engine.set(.integer(2), for: "pending")
      for number in 0..<15 {
        try other.engine.set(.data(Array(repeating: 0, count: 4096)), for: "\(number)")
      }
      let error = #expect(throws: KeyValueError.self) {
        try one.engine.set(.data(Array(repeating: 0, count: 4096)), for: "more")
      }
      #expect(error?.code == .storeFull)
    }
  }

  @Test func `when everything may have changed, keys that are gone are told too`() throws {
    try withTemporaryDirectory { directory in
      let household = try Households(in: directory)
      let (a, b) = (try household.device("a"), try household.device("b"))
      for key in ["gone", "read", "stays"] { try a.engine.set(.integer(1), for: key) }
      try meet([a, b])
      // As a rebuilt store has them, one before and one after somebody has read it.
      try b.engine.store!.service { try $0.execute("DELETE FROM key_value WHERE key = 'read'") }
      #expect(try b.engine.value(for: "read") == nil)
      try b.engine.store!.service { try $0.execute("DELETE FROM key_value WHERE key = 'gone'") }
      b.engine.note(.everything)
      #expect(
        b.changes.all.last
          == KeyValueChange(reason: .serverChange, changedKeys: ["gone", "read", "stays"]))
      b.engine.note(.everything)
      #expect(
        b.changes.all.last == KeyValueChange(reason: .serverChange, changedKeys: ["stays"]))
    }
  }

  @Test func `a store that stays beyond its limits tells so once, and a first meeting as such`()
    throws
  {
    try withTemporaryDirectory { directory in
      let household = try Households(in: directory)
      let (a, b) = (try household.device("a", .compact), try household.device("b"))
      for number in 0..<10 {
        let value = PropertyListValue.data(Array(repeating: 0, count: 4096))
        try a.engine.set(value, for: "a\(number)")
        try b.engine.set(value, for: "b\(number)")
      }
      try meet([a, b])
      try a.engine.set(.bool(true), for: "a0")
      try meet([a, b])
      #expect(b.changes.all.map(\.reason) == [.quotaViolationChange, .serverChange])
      // A device that has only its own values so far, and joins.
      try FileManager.default.moveItem(atPath: household.container, toPath: directory + "/away")
      let changes = Recorded<KeyValueChange>()
      let engine = try KeyValueEngine(
        unattached: household.place("c"), didChange: { changes.append($0) })
      try engine.set(.bool(true), for: "own")
      try FileManager.default.moveItem(atPath: directory + "/away", toPath: household.container)
      try engine.join()
      #expect(changes.all.map(\.reason) == [.initialSyncChange, .quotaViolationChange])
      let keys = (0..<10).flatMap { ["a\($0)", "b\($0)"] }.sorted()
      #expect(changes.all.map(\.changedKeys) == [keys, keys])
    }
  }

  @Test func `what another program writes is read, and what is no value is named`() throws {
    try withTemporaryDirectory { directory in
      let device = try Households(in: directory).device("a")
      try device.engine.store!.write { database in
        try database.execute("INSERT INTO key_value VALUES ('a', 'string', 'x', 1)")
        try database.execute("INSERT INTO key_value VALUES ('b', 'integer', 'x', 1)")
        try database.execute("INSERT INTO key_value VALUES ('c', 'array', x'00', 1)")
        try database.execute("INSERT INTO key_value VALUES ('d', 'real', 2, 1)")
      }
      let values = try device.engine.values().map(\.value.propertyListValue)
      #expect(values == [.string("x"), nil, nil, .real(2)])
    }
  }

  @Test func `a second profile, or another table, is refused and nothing is made`() throws {
    try withTemporaryDirectory { directory in
      let household = try Households(in: directory)
      _ = try household.device("a", .classic)
      #expect(try household.device("b").engine.profile == .classic)
      let error = #expect(throws: KeyValueError.self) { try household.device("c", .compact) }
      #expect(error?.code == .differentProfile)
      #expect(!FileManager.default.fileExists(atPath: household.place("c").path))
      let again = #expect(throws: KeyValueError.self) { try household.device("a", .standard) }
      #expect(again?.code == .differentProfile)
      let tables = try Connection(path: household.place("d").path, mode: .create)
      try tables.execute("CREATE TABLE t (a)")
      let other = #expect(throws: KeyValueError.self) { try household.device("d") }
      #expect(other?.code == .notKeyValueStore)
    }
  }

  @Test func `the first import is the initial one, later ones are not`() throws {
    try withTemporaryDirectory { directory in
      let household = try Households(in: directory)
      let (a, b) = (try household.device("a"), try household.device("b"))
      try a.engine.set(.integer(1), for: "k")
      try meet([a, b])
      try a.engine.set(.integer(2), for: "k")
      try a.engine.set(.integer(2), for: "l")
      try meet([a, b])
      #expect(
        b.changes.all == [
          KeyValueChange(reason: .initialSyncChange, changedKeys: ["k"]),
          KeyValueChange(reason: .serverChange, changedKeys: ["k", "l"]),
        ])
      #expect(a.changes.all == [])
    }
  }

  @Test func `without its container it works, and joins when that comes`() throws {
    try withTemporaryDirectory { directory in
      let household = try Households(in: directory)
      let other = try household.device("b", .compact)
      try other.engine.set(.string("theirs"), for: "both")
      try other.engine.set(.string("theirs"), for: "b")
      try other.synchronize()
      try FileManager.default.moveItem(atPath: household.container, toPath: directory + "/away")
      let place = household.place("a")
      let changes = Recorded<KeyValueChange>()
      // Two processes.
      let engine = try KeyValueEngine(unattached: place, didChange: { changes.append($0) })
      let second = try KeyValueEngine(unattached: place)
      try engine.set(.string("mine"), for: "both")
      try engine.set(.string("mine"), for: "a")
      #expect(try second.value(for: "a")?.propertyListValue == .string("mine"))
      #expect(throws: ContainerError.self) { try engine.join() }
      #expect(try engine.values().count == 2)
      try FileManager.default.moveItem(atPath: directory + "/away", toPath: household.container)
      try engine.join()
      try engine.join()
      let expected: [PropertyListValue?] = [.string("mine"), .string("theirs"), .string("theirs")]
      #expect(try engine.values().map(\.value.propertyListValue) == expected)
      #expect(engine.profile == .compact)
      #expect(
        changes.all
          == [KeyValueChange(reason: .initialSyncChange, changedKeys: ["b", "both"])])
      // The other process follows with its next set.
      try second.set(.string("late"), for: "a")
      #expect(second.store != nil)
      #expect(try engine.value(for: "a")?.propertyListValue == .string("late"))
      #expect(!FileManager.default.fileExists(atPath: place.unsharedPath))
      let session = SyncSession(store: engine.store!, environment: place.environment)
      _ = try session.synchronize()
      try other.synchronize()
      #expect(
        try other.contents() == [
          "a": .string("late"), "b": .string("theirs"), "both": .string("theirs"),
        ])
    }
  }

  @Test func `what a killed process has not brought into the store, the next opening brings`()
    throws
  {
    try withTemporaryDirectory { directory in
      let household = try Households(in: directory)
      let place = household.place("a")
      let engine = try KeyValueEngine(unattached: place)
      try engine.set(.integer(1), for: "k")
      try engine.close()
      // Attached, and killed before the values were brought.
      _ = try place.attach()
      let device = try household.device("a")
      #expect(try device.contents() == ["k": .integer(1)])
      #expect(!FileManager.default.fileExists(atPath: place.unsharedPath))
    }
  }

  @Test func `a value that was removed before the store joined stays so, wherever it is killed`()
    throws
  {
    try withTemporaryDirectory { directory in
      let household = try Households(in: directory)
      let files = KilledAtRemovals(directory)
      var place = household.place("a")
      place.environment = StoreEnvironment(fileSystem: files)
      let former = try KeyValueEngine(unattached: place)
      try former.set(.integer(1), for: "removed")
      try former.set(.integer(2), for: "k")
      // Into the database file: what follows is in its log alone.
      try former.close()
      let engine = try KeyValueEngine(unattached: place)
      try engine.remove("removed")
      files.former = place.unsharedPath
      try engine.join()
      #expect(files.copies.all.count > 1)
      for copy in files.copies.all {
        var place = household.place("a")
        place.path = copy + "/a.sqlite"
        let again = try KeyValueEngine(attached: place)
        let values = try again.values().map { ($0.key, $0.value.propertyListValue) }
        #expect(values.map(\.0) == ["k"], "\(copy)")
        #expect(values.map(\.1) == [.integer(2)], "\(copy)")
        #expect(!FileManager.default.fileExists(atPath: place.unsharedPath))
        try again.close()
      }
      try engine.close()
    }
  }
}

/// Keeps what a kill would leave of a store, before each file that is removed.
private final class KilledAtRemovals: SteppingFileSystem {
  let base: any FileSystem = LocalFileSystem()
  /// The directories of the copies.
  let copies = Recorded<String>()
  private let directory: String
  private let removals = Mutex("")

  init(_ directory: String) { self.directory = directory }

  /// How the paths begin of the files whose removal counts.
  var former: String {
    get { removals.withLock { $0 } }
    set { removals.withLock { $0 = newValue } }
  }

  func step(_ operation: FileOperation, _ path: String) throws(FileError) {
    guard operation == .remove, !former.isEmpty, path.hasPrefix(former) else { return }
    let copy = "\(directory)/copy\(copies.all.count)"
    do {
      try FileManager.default.createDirectory(atPath: copy, withIntermediateDirectories: false)
      for name in try FileManager.default.contentsOfDirectory(atPath: directory)
      where name.hasPrefix("a.sqlite") && !name.hasSuffix("-shm") {
        try FileManager.default.copyItem(
          atPath: "\(directory)/\(name)", toPath: "\(copy)/\(name)")
      }
    } catch {
      preconditionFailure("a directory of the test can be copied: \(error)")
    }
    copies.append(copy)
  }
}
