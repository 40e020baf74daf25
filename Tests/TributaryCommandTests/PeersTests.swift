import Foundation
import Testing
import TributaryCommand
import TributaryTesting

struct PeersTests {
  private func meet(_ stores: StoreFixture) {
    for name in ["a", "b", "a"] { #expect(Invocation("sync", stores.path(name)).status == .done) }
  }

  private func object(_ line: String) throws -> [String: Any] {
    try #require(JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
  }

  /// The last transaction of each device that the status lists, by its name.
  private func sequences(_ stores: StoreFixture) throws -> [String: Int] {
    let status = Invocation("status", stores.path("a"), "--json")
    try JSONSchema(named: "status").check(status.output)
    let peers = try object(status.output)["peers"] as? [[String: Any]] ?? []
    return Dictionary(
      uniqueKeysWithValues: peers.map {
        ($0["name"] as? String ?? "", $0["sequence"] as? Int ?? -1)
      })
  }

  @Test func `the status lists devices that have written nothing, and none that are gone`() throws {
    try withStores { stores in
      meet(stores)
      let found1 = try sequences(stores)
      #expect(found1 == ["A": 0, "B": 0])
      stores.sql("b", "INSERT INTO tracks (id, title) VALUES (1, 'x')")
      meet(stores)
      let found2 = try sequences(stores)
      #expect(found2 == ["A": 0, "B": 1])
      #expect(stores.attach("c", "--peer-name", "C").status == .done)
      let found3 = try sequences(stores)
      #expect(found3 == ["A": 0, "B": 1, "C": 0])
      #expect(Invocation("detach", stores.path("c")).status == .done)
      let found4 = try sequences(stores)
      #expect(found4 == ["A": 0, "B": 1])
    }
  }

  @Test func `peers list prints a line for each device`() throws {
    try withStores { stores in
      stores.sql("a", "INSERT INTO tracks (id, title) VALUES (1, 'x')")
      meet(stores)
      stores.sql("a", "INSERT INTO tracks (id, title) VALUES (2, 'y')")
      #expect(Invocation("sync", stores.path("a")).status == .done)
      let json = Invocation("peers", "list", stores.path("a"), "--json")
      #expect(json.status == .done)
      #expect(json.lines.count == 2)
      for line in json.lines { try JSONSchema(named: "peers").check(line) }
      let (own, other) = (try object(json.lines[0]), try object(json.lines[1]))
      #expect(own["name"] as? String == "A")
      #expect(own["sequence"] as? Int == 2)
      #expect(own["acknowledged"] as? Int == 2)
      #expect(other["name"] as? String == "B")
      #expect(other["state"] as? String == "active")
      #expect(other["acknowledged"] as? Int == 1)
      #expect(other["holds"] as? Bool == true)
      let text = Invocation("peers", "list", stores.path("a"))
      #expect(text.lines.count == 3)
      #expect(text.lines[0].hasPrefix("PEER"))
      #expect(text.lines[1].hasSuffix("A (this store)"))
      #expect(text.lines[2].contains("active"))
    }
  }

  @Test func `peers retire says what it means, and can be repeated`() throws {
    try withStores { stores in
      meet(stores)
      let run = Invocation("peers", "retire", stores.path("a"), "B")
      #expect(run.status == .done)
      #expect(run.output.contains("(B) is retired: nobody waits for it any more"))
      let again = Invocation("peers", "retire", stores.path("a"), "B")
      #expect(again.status == .done)
      #expect(again.output.contains("was retired already"))
      let list = Invocation("peers", "list", stores.path("a"), "--json")
      let other = try object(list.lines[1])
      #expect(other["state"] as? String == "retired")
    }
  }

  @Test func `peers retire refuses what makes no sense`() throws {
    try withStores { stores in
      meet(stores)
      let own = Invocation("peers", "retire", stores.path("a"), "A")
      #expect(own.status == .failed)
      #expect(own.errors.contains("is this store itself"))
      let unknown = Invocation("peers", "retire", stores.path("a"), "Z")
      #expect(unknown.status == .failed)
      #expect(unknown.errors.contains("tributary peers list"))
      #expect(Invocation("peers", "retire", stores.path("a")).status == .usage)
    }
  }

  @Test func `a limit of disk use is told by sync, status and doctor`() throws {
    try withStores { stores in
      #expect(stores.attach("a", "--space-limit", "1K").status == .done)
      stores.sql("a", "INSERT INTO tracks (id, title) VALUES (1, printf('%3000s', 'x'))")
      let sync = Invocation("sync", stores.path("a"), "--json")
      #expect(sync.status == .done)
      #expect(sync.errors.contains("more than the limit of 1024"))
      try JSONSchema(named: "sync").check(sync.lines[0])
      #expect(sync.lines[0].contains(#""space":{"limit":1024,"used":"#))
      let status = Invocation("status", stores.path("a"), "--json")
      try JSONSchema(named: "status").check(status.lines[0])
      let space = try #require(object(status.lines[0])["space"] as? [String: Any])
      #expect(space["limit"] as? Int == 1024)
      #expect(Invocation("status", stores.path("a")).output.contains("more than the limit"))
      #expect(Invocation("doctor", stores.path("a")).status == .damage)
      #expect(stores.attach("a", "--space-limit", "0").status == .done)
      #expect(Invocation("sync", stores.path("a")).errors.isEmpty)
    }
  }

  @Test(arguments: ["", "x", "12T", "K", "-1", "1.5M", "99999999999G", "0x10"])
  func `what is no size is refused`(text: String) throws {
    try withStores { stores in
      #expect(stores.attach("a", "--space-limit", text).status == .usage)
    }
  }

  @Test func `sizes may have units`() throws {
    try withStores { stores in
      for (text, bytes) in [("5000", 5000), ("3k", 3072), ("64M", 64 << 20), ("2G", 2 << 30)] {
        #expect(stores.attach("a", "--space-limit", text).status == .done)
        let status = try object(Invocation("status", stores.path("a"), "--json").lines[0])
        #expect((status["space"] as? [String: Any])?["limit"] as? Int == bytes)
      }
    }
  }

  @Test func `status and doctor say how much room a store takes`() throws {
    try withStores { stores in
      stores.sql("a", "INSERT INTO tracks (id, title) VALUES (1, 'x')")
      meet(stores)
      let text = Invocation("status", stores.path("a"))
      #expect(text.output.contains("space:       store "))
      #expect(text.output.contains("own log "))
      let size = try #require(
        FileManager.default.attributesOfItem(atPath: stores.path("a"))[.size] as? UInt64)
      #expect(text.output.contains("store \(size / 1024).0 KB (of it "))
      let status = Invocation("status", stores.path("a"), "--json")
      let doctor = Invocation("doctor", stores.path("a"), "--json")
      #expect(doctor.status == .done)
      let last = try #require(doctor.lines.last)
      try JSONSchema(named: "doctor").check(last)
      let space = try #require(object(last)["space"] as? [String: Any])
      let same = try #require(object(status.lines[0])["space"] as? [String: Any])
      #expect(NSDictionary(dictionary: space) == NSDictionary(dictionary: same))
      #expect(space["outbox"] as? Int ?? 0 > 0)
      #expect(space["ownLog"] as? Int ?? 0 > 0)
    }
  }
}
