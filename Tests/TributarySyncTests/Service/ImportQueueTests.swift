import Testing
import TributaryCore
import TributaryMerge
import TributarySync
import TributaryTesting

/// Imports that must be handled at least once.
struct ImportQueueTests {
  private static let script = "CREATE TABLE t (id INTEGER PRIMARY KEY)"

  /// Lends two devices; the second has a queue.
  private func withQueue(
    _ body: (_ author: SyncSession, _ reader: SyncDevices, _ queue: ImportQueue, SyncSession) throws
      -> Void
  ) throws {
    try withTemporaryDirectory { directory in
      let devices = try SyncDevices(in: directory)
      let author = try devices.open("a", Self.script)
      let reader = try devices.open("b", Self.script)
      try exchange(author, reader)
      try body(author, devices, ImportQueue(reader, name: "x"), reader)
    }
  }

  private func write(_ id: Int, _ author: SyncSession) throws {
    try author.execute("INSERT INTO t VALUES (\(id))")
    try author.exchange()
  }

  /// The keys that a queue has, handled in this order.
  private func handleAll(_ queue: ImportQueue) throws -> [[String]] {
    var all: [[String]] = []
    while let pending = try queue.next() {
      all.append(pending.imported.keys)
      try queue.didHandle(pending)
    }
    return all
  }

  @Test func `each import comes in its turn, until it is handled`() throws {
    try withQueue { author, _, queue, reader in
      #expect(try queue.next() == nil)
      for id in 1...3 {
        try write(id, author)
        _ = try reader.synchronize { try queue.note($0) }
      }
      #expect(try queue.count() == 3)
      let first = try #require(try queue.next())
      #expect(first.imported.keys == ["1"] && !first.imported.isByAnotherProcess)
      #expect(try queue.next()?.imported.keys == ["1"], "it was not handled")
      #expect(try handleAll(queue) == [["1"], ["2"], ["3"]])
      #expect(try queue.next() == nil && queue.count() == 0)
    }
  }

  @Test func `what a process has not handled comes to the next one, and nothing else`() throws {
    try withQueue { author, devices, queue, reader in
      try write(1, author)
      _ = try reader.synchronize { try queue.note($0) }
      try queue.didHandle(try #require(try queue.next()))
      for id in 2...3 {
        try write(id, author)
        _ = try reader.synchronize { try queue.note($0) }
      }
      let next = try SyncSession(store: devices.path("b"))
      let resumed = try ImportQueue(next, name: "x")
      #expect(try resumed.next()?.imported.isByAnotherProcess == true)
      #expect(try handleAll(resumed) == [["2"], ["3"]])
      #expect(try ImportQueue(next, name: "another").next() == nil, "it begins with the next one")
    }
  }

  @Test func `who takes the place of one that failed gets what that one did not handle`() throws {
    try withQueue { author, _, queue, reader in
      try write(1, author)
      _ = try reader.synchronize { try queue.note($0) }
      #expect(try handleAll(queue) == [["1"]])
      for id in 2...3 {
        try write(id, author)
        _ = try reader.synchronize { try queue.note($0) }
      }
      #expect(try handleAll(ImportQueue(reader, name: "mended")) == [["2"], ["3"]])
      #expect(try ImportQueue(reader, name: "third").next() == nil, "all are handled")
    }
  }

  @Test func `where the record does not reach back, one import stands for all`() throws {
    try withQueue { author, _, queue, reader in
      for id in 1...3 {
        try write(id, author)
        _ = try reader.synchronize { try queue.note($0) }
      }
      try reader.store.service { try $0.execute("DELETE FROM tributary_import WHERE id <= 2") }
      let pending = try #require(try queue.next())
      #expect(pending.imported.mayHaveChangedEverything)
      try queue.didHandle(pending)
      #expect(try queue.next() == nil)
      try write(4, author)
      _ = try reader.synchronize { try queue.note($0) }
      #expect(try handleAll(queue) == [["4"]])
    }
  }
}

extension SyncReport.Imported {
  /// The inserted keys.
  fileprivate var keys: [String] {
    changes.flatMap { _, changes in
      changes.inserted.keys.map { key in
        if case .integer(let integer) = key[0] { "\(integer)" } else { "?" }
      }
    }
  }
}
