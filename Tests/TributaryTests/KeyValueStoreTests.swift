import Foundation
import Synchronization
import Testing
import Tributary
import TributarySync
import TributaryTesting

struct KeyValueStoreTests {
  private struct Home {
    let directory: String
    let container: Container

    init(in directory: String) throws {
      self.directory = directory
      try FileManager.default.createDirectory(
        atPath: directory + "/shared", withIntermediateDirectories: true)
      container = try Container(at: directory + "/shared")
    }

    func open(_ name: String, automatically: Bool = false) async throws -> KeyValueStore {
      var options = KeyValueStoreOptions(identifier: "com.example.app", container: container)
      options.synchronizesAutomatically = automatically
      options.pollInterval = .milliseconds(100)
      return try await KeyValueStore.open(at: "\(directory)/\(name).sqlite", options: options)
    }
  }

  @Test func `values come back in their types, on other devices too`() async throws {
    try await withTemporaryDirectory { directory in
      let home = try Home(in: directory)
      let a = try await home.open("a")
      let date = Date()
      try a.set("grün", forKey: "string")
      try a.set(Int64.min, forKey: "integer")
      try a.set(7, forKey: "literal")
      try a.set(1.5, forKey: "real")
      try a.set(true, forKey: "bool")
      try a.set(date, forKey: "date")
      try a.set(Data([0, 255]), forKey: "data")
      try a.set([1, "x", false, 2.5] as [Any], forKey: "array")
      try a.set(["a": [date], "b": ["c": UInt8(3)]], forKey: "dictionary")
      try a.synchronizeNow()
      let b = try await home.open("b")
      #expect(b.string(forKey: "string") == "grün")
      #expect(b.longLong(forKey: "integer") == .min)
      #expect(b.longLong(forKey: "literal") == 7)
      #expect(b.double(forKey: "real") == 1.5)
      #expect(b.bool(forKey: "bool"))
      #expect(b.object(forKey: "bool") as? Bool == true)
      #expect(b.date(forKey: "date") == date)
      #expect(b.data(forKey: "data") == Data([0, 255]))
      #expect(b.array(forKey: "array")?[3] as? Double == 2.5)
      #expect((b.dictionary(forKey: "dictionary")?["a"] as? [Date])?.first == date)
      #expect(
        b.value(forKey: "array") == .array([.integer(1), .string("x"), .bool(false), .real(2.5)]))
      #expect(b.dictionaryRepresentation.count == 9)
      #expect(b.string(forKey: "integer") == nil && b.longLong(forKey: "none") == 0)
      try b.removeObject(forKey: "string")
      try b.set(nil as Any?, forKey: "real")
      #expect(b.object(forKey: "string") == nil && b.object(forKey: "real") == nil)
      #expect(throws: KeyValueError.self) { try b.set([Home.self] as [Any], forKey: "k") }
      #expect(throws: KeyValueError.self) { try b.set(UInt64.max as Any?, forKey: "k") }
      try a.close()
      #expect(throws: KeyValueError.self) { try a.set(1.5, forKey: "k") }
    }
  }

  @Test func `a store that was detached opens again with its values`() async throws {
    try await withTemporaryDirectory { directory in
      let home = try Home(in: directory)
      let a = try await home.open("a")
      try a.set("mine", forKey: "k")
      try a.synchronizeNow()
      try a.close()
      try Engine.detach(store: a.path, removeLogs: false)
      let again = try await home.open("a")
      #expect(again.string(forKey: "k") == "mine")
      try again.set("new", forKey: "k")
      try again.synchronizeNow()
      let b = try await home.open("b")
      #expect(b.string(forKey: "k") == "new")
    }
  }

  @Test func `any type that can be encoded can be stored`() async throws {
    struct Window: Codable, Equatable {
      var title: String
      var size: [Double]
    }
    try await withTemporaryDirectory { directory in
      let store = try await Home(in: directory).open("a")
      let window = Window(title: "Main", size: [800, 600.5])
      try store.encode(window, forKey: "window")
      try store.encode(3, forKey: "number")
      #expect(try store.decode(Window.self, forKey: "window") == window)
      #expect(try store.decode(Int.self, forKey: "number") == 3)
      #expect(try store.decode(Int.self, forKey: "none") == nil)
      #expect(throws: DecodingError.self) { try store.decode(Int.self, forKey: "window") }
    }
  }

  @Test func `what other devices set is told once, as sequence and as notification`() async throws {
    try await withTemporaryDirectory { directory in
      let home = try Home(in: directory)
      let (a, b) = (try await home.open("a"), try await home.open("b", automatically: true))
      let posted = Recorded<[String]>()
      let observer = NotificationCenter.default.addObserver(
        forName: .keyValueStoreDidChangeExternally, object: b, queue: nil
      ) { note in
        posted.append(note.userInfo?[KeyValueNotificationKey.changedKeys] as? [String] ?? [])
        // A handler may call the store.
        _ = b.string(forKey: "k")
      }
      defer { NotificationCenter.default.removeObserver(observer) }
      var changes = b.changes.makeAsyncIterator()
      try a.set("1", forKey: "k")
      try a.synchronizeNow()
      #expect(await changes.next() == KeyValueChange.made(.initialSyncChange, ["k"]))
      #expect(b.string(forKey: "k") == "1")
      try a.set("2", forKey: "k")
      #expect(a.synchronize())
      try a.synchronizeNow()
      #expect(await changes.next() == KeyValueChange.made(.serverChange, ["k"]))
      #expect(b.string(forKey: "k") == "2")
      try eventually { posted.all == [["k"], ["k"]] }
      try b.close()
      #expect(await changes.next() == nil)
    }
  }

  @Test func `it opens before its container has ever been there, and joins it by itself`()
    async throws
  {
    try await withTemporaryDirectory { directory in
      let home = try Home(in: directory)
      try FileManager.default.moveItem(atPath: directory + "/shared", toPath: directory + "/away")
      let a = try await home.open("a", automatically: true)
      try a.set("mine", forKey: "k")
      #expect(a.synchronize())
      let again = try await home.open("a")
      #expect(again.string(forKey: "k") == "mine")
      #expect(try again.synchronizeNow().failure != nil)
      try again.close()
      try FileManager.default.moveItem(atPath: directory + "/away", toPath: directory + "/shared")
      let b = try await home.open("b", automatically: true)
      try eventually { b.string(forKey: "k") == "mine" }
      // And away again: it opens, and what is set comes later.
      try a.close()
      try b.close()
      try FileManager.default.moveItem(atPath: directory + "/shared", toPath: directory + "/away")
      let later = try await home.open("a")
      try later.set("later", forKey: "k")
      #expect(try later.synchronizeNow().failure != nil)
      try FileManager.default.moveItem(atPath: directory + "/away", toPath: directory + "/shared")
      try later.synchronizeNow()
      let reader = try await home.open("b")
      try reader.synchronizeNow()
      #expect(reader.string(forKey: "k") == "later")
    }
  }

  @Test func `another container brings its values, and the first one keeps its own`() async throws {
    try await withTemporaryDirectory { directory in
      let home = try Home(in: directory)
      let store = try await home.open("a", automatically: true)
      var changes = store.changes.makeAsyncIterator()
      try store.set("one", forKey: "k")
      try store.set("one", forKey: "only")
      try FileManager.default.createDirectory(
        atPath: directory + "/other", withIntermediateDirectories: true)
      let other = try Container(at: directory + "/other")
      try await store.change(to: other, at: directory + "/other.sqlite")
      #expect(await changes.next() == KeyValueChange.made(.accountChange, ["k", "only"]))
      #expect(store.string(forKey: "k") == nil)
      try store.set("two", forKey: "k")
      try await store.change(to: home.container, at: directory + "/a.sqlite")
      #expect(await changes.next() == KeyValueChange.made(.accountChange, ["k", "only"]))
      #expect(store.string(forKey: "k") == "one" && store.string(forKey: "only") == "one")
    }
  }

  @Test func `a key that is set many times costs about one in the container`() async throws {
    try await withTemporaryDirectory { directory in
      let home = try Home(in: directory)
      let stores = [
        try await home.open("a", automatically: true),
        try await home.open("b", automatically: true),
        try await home.open("c", automatically: true),
      ]
      let count = Soak.minutes == nil ? 20_000 : 1_000_000
      let start = ContinuousClock.now
      for number in 1...count { try stores[0].set(Int64(number), forKey: "k") }
      let took = ContinuousClock.now - start
      #expect(stores[0].synchronize())
      try eventually { stores.allSatisfy { $0.longLong(forKey: "k") == count } }
      let transactions = try stores[0].synchronizeNow().waiting.count
      #expect(transactions == 0)
      for store in stores { try store.close() }
      var bytes = 0
      let files = FileManager.default.enumerator(atPath: home.container.path)
      while let name = files?.nextObject() as? String {
        let path = "\(home.container.path)/\(name)"
        if name.hasSuffix(".lz4") {
          bytes += try FileManager.default.attributesOfItem(atPath: path)[.size] as? Int ?? 0
        }
      }
      // Each interval of writing costs a transaction, and the machine may be slow.
      let intervals = Int(took / .seconds(1)) + 3
      #expect(bytes < intervals * 600, "\(count) sets in \(took): \(bytes) bytes")
      if Soak.minutes != nil { print("\(count) sets in \(took): \(bytes) bytes of logs") }
    }
  }
}

extension KeyValueChange {
  static func made(_ reason: Reason, _ keys: [String]) -> KeyValueChange {
    KeyValueChange(reason: reason, changedKeys: keys)
  }
}
