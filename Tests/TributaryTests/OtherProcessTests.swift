import Foundation
import Synchronization
import Testing
import Tributary
import TributaryTesting

/// An application whose store another process synchronises too.
struct OtherProcessTests {
  @Test
  func `an application is told of what another process imports, by stream and notification`()
    async throws
  {
    try await withTemporaryDirectory { directory in
      let devices = try Devices(in: directory)
      let a = try await devices.open("a")
      let b = try await devices.open("b")
      try exchange(a, b)
      // What a daemon has open, for all that the application knows.
      let daemon = try await devices.open("b")
      let imports = b.imports
      let conflicts = b.newConflicts
      let notified = Mutex<[Bool]>([])
      let observer = NotificationCenter.default.addObserver(
        forName: .didImportUbiquitousContentChanges, object: b, queue: nil
      ) { notification in
        let change = notification.userInfo?[ImportNotificationKey.change] as? ImportChange
        notified.withLock { $0.append(change?.isByAnotherProcess == true) }
      }
      defer { NotificationCenter.default.removeObserver(observer) }
      try a.execute("INSERT INTO album VALUES (1, 'Blue', NULL)")
      try a.synchronizeNow()
      try daemon.synchronizeNow()
      try a.execute("UPDATE album SET rating = 1")
      try daemon.execute("UPDATE album SET rating = 2")
      try exchange(a, daemon)
      try b.synchronizeNow()
      try b.synchronizeNow()
      b.close()
      var told: [String] = []
      for await change in imports {
        #expect(change.isByAnotherProcess && !change.mayHaveChangedEverything)
        #expect(change.peers.map(\.peer) == [a.peer])
        told.append(
          change.tables.map { "\($0.key) +\($0.value.inserted.count) ~\($0.value.updated.count)" }
            .joined())
      }
      #expect(told.first == "album +1 ~0")
      #expect(told.count == 2)
      #expect(notified.withLock { $0 } == [true, true])
      var found: [Conflict] = []
      for await some in conflicts { found += some }
      #expect(try found == daemon.conflicts())
      #expect(found.count == 1)
    }
  }

  @Test
  func `an application that watches is told of each import once, beside one that does so too`()
    async throws
  {
    try await withTemporaryDirectory { directory in
      let devices = try Devices(in: directory)
      let a = try await devices.open("a", automatically: true)
      let stores = [
        try await devices.open("b", automatically: true),
        try await devices.open("b", automatically: true),
      ]
      let streams = stores.map(\.imports)
      for id in 1...60 { try a.execute("INSERT INTO album VALUES (\(id), 'Album \(id)', NULL)") }
      for stream in streams {
        var seen: [[Value]] = []
        for await change in stream {
          seen += change.tables["album"]?.inserted.keys ?? []
          if seen.count >= 60 { break }
        }
        #expect(seen == (1...60).map { [.integer($0)] })
      }
      for store in stores + [a] { store.close() }
    }
  }
}
