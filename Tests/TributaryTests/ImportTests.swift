import Foundation
import Synchronization
import Testing
import Tributary
import TributaryTesting

struct ImportTests {
  @Test
  func `imports tell each changed row once, after the commit, with its author`() async throws {
    try await withTemporaryDirectory { directory in
      let devices = try Devices(in: directory)
      let a = try await devices.open("a")
      let b = try await devices.open("b")
      let imports = b.imports
      try a.execute("INSERT INTO album VALUES (1, 'Blue', NULL), (2, 'Hejira', 3)")
      try a.synchronizeNow()
      try b.synchronizeNow()
      try a.execute("UPDATE album SET rating = 5 WHERE id = 1; DELETE FROM album WHERE id = 2")
      try a.synchronizeNow()
      try b.synchronizeNow()
      try b.synchronizeNow()
      b.close()
      var told: [String] = []
      for await change in imports {
        let album = try #require(change.tables["album"])
        told.append("+\(album.inserted.keys) ~\(album.updated.keys) -\(album.deleted.keys)")
        #expect(change.peers.map(\.peer) == [a.peer])
      }
      func key(_ id: Int64) -> [Value] { [.integer(id)] }
      #expect(
        told == [
          "+\([key(1), key(2)]) ~[] -[]",
          "+[] ~\([key(1)]) -\([key(2)])",
        ])
    }
  }

  @Test
  func `the notification carries the same keys and the peers`() async throws {
    try await withTemporaryDirectory { directory in
      let devices = try Devices(in: directory)
      let a = try await devices.open("a")
      let b = try await devices.open("b")
      let received = Mutex<[String]>([])
      let observer = NotificationCenter.default.addObserver(
        forName: .didImportUbiquitousContentChanges, object: b, queue: nil
      ) { notification in
        let inserted =
          notification.userInfo?[ImportNotificationKey.inserted] as? [String: [[Value]]] ?? [:]
        let peers = notification.userInfo?[ImportNotificationKey.peers] as? [PeerIdentity] ?? []
        received.withLock { $0.append("\(inserted["album"] ?? []) \(peers)") }
      }
      defer { NotificationCenter.default.removeObserver(observer) }
      try a.execute("INSERT INTO album VALUES (7, 'Blue', NULL)")
      try exchange(a, b)
      #expect(received.withLock { $0 } == ["\([[Value.integer(7)]]) \([a.peer])"])
    }
  }

  @Test
  func `two devices that watch see each other's commits by themselves`() async throws {
    try await withTemporaryDirectory { directory in
      let devices = try Devices(in: directory)
      let a = try await devices.open("a", automatically: true)
      let b = try await devices.open("b", automatically: true)
      defer {
        a.close()
        b.close()
      }
      let imports = b.imports
      for id in 1...20 { try a.execute("INSERT INTO album VALUES (\(id), 'Album \(id)', NULL)") }
      var seen: Set<[Value]> = []
      for await change in imports {
        seen.formUnion(change.tables["album"]?.inserted.keys ?? [])
        if seen.count == 20 { break }
      }
      #expect(try b.digest() == a.digest())
    }
  }

  @Test
  func `triggers stay silent during an import, since their effects come along`() async throws {
    try await withTemporaryDirectory { directory in
      let devices = try Devices(in: directory)
      let schema: Schema = [
        Migration(
          name: "001",
          sql: """
            CREATE TABLE t (id INTEGER PRIMARY KEY, x);
            CREATE TABLE log (id INTEGER PRIMARY KEY, what);
            CREATE TRIGGER note AFTER INSERT ON t BEGIN
              INSERT INTO log (what) VALUES ('row ' || new.id); END
            """)
      ]
      let a = try await devices.open("a", schema: schema)
      let b = try await devices.open("b", schema: schema)
      try a.execute("INSERT INTO t VALUES (1, 'x'), (2, 'y')")
      try exchange(a, b)
      #expect(try b.rows("SELECT * FROM log") == ["1|row 1", "2|row 2"])
      #expect(try b.digest() == a.digest())
    }
  }

  @Test
  func `importing writes nothing back, and a further round writes no file`() async throws {
    try await withTemporaryDirectory { directory in
      let devices = try Devices(in: directory)
      let a = try await devices.open("a")
      let b = try await devices.open("b")
      try a.execute("INSERT INTO album VALUES (1, 'Blue', NULL)")
      try b.execute("INSERT INTO album VALUES (2, 'Hejira', NULL)")
      try exchange(a, b)
      let before = try devices.listing()
      try exchange(a, b)
      #expect(try devices.listing() == before)
      #expect(try a.status().unpublished == 0)
      #expect(try a.status().peers[0].sequence == SequenceNumber(1))
    }
  }
}
