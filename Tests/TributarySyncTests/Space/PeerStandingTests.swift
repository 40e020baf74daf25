import Foundation
import Testing
import TributaryContainer
import TributaryCore
import TributarySimulation
import TributaryStore
import TributarySync
import TributaryTesting

/// Three devices with one clock, which only the test moves.
private struct Fleet {
  let devices: SyncDevices
  let clock = AdjustableClock()
  let sessions: [SyncSession]

  var a: SyncSession { sessions[0] }
  var b: SyncSession { sessions[1] }
  var c: SyncSession { sessions[2] }

  init(in directory: String) throws {
    devices = try SyncDevices(in: directory)
    let environment = StoreEnvironment(clock: clock)
    sessions = try ["a", "b", "c"].map { [devices] name in
      var request = AttachRequest(
        store: devices.path(name), container: devices.container, contentName: "C")
      request.migrations = [
        Migration(name: "1", sql: "CREATE TABLE t (id INTEGER PRIMARY KEY, v TEXT)")
      ]
      request.peerName = name.uppercased()
      _ = try Engine.attach(request, environment: environment)
      return try SyncSession(store: devices.path(name), environment: environment)
    }
  }

  func write(_ id: Int, on session: SyncSession) throws {
    clock.advance(by: 1)
    try session.store.write { try $0.execute("INSERT INTO t VALUES (?, 'x')", id) }
  }

  func meet() throws { for session in sessions + sessions { try session.exchange() } }

  /// Lets days pass on which one device synchronises.
  func pass(days: Int, on session: SyncSession) throws {
    for _ in 0..<days {
      clock.advance(by: 86_400_000)
      _ = try session.synchronize()
    }
  }

  /// For each device in turn, what another one knows of it.
  func standings(on session: SyncSession) throws -> [PeerStanding] {
    let all = try session.peers()
    #expect(all.count == sessions.count)
    #expect(all.first?.peer == session.store.peer)
    return try sessions.map { one in try #require(all.first { $0.peer == one.store.peer }) }
  }

  func states(on session: SyncSession) throws -> [String] {
    try standings(on: session).map(\.state.rawValue)
  }

  func holders(on session: SyncSession) throws -> [Bool] {
    try standings(on: session).map(\.holdsHorizon)
  }
}

private func withFleet(_ body: (Fleet) throws -> Void) throws {
  try withTemporaryDirectory { try body(Fleet(in: $0)) }
}

struct PeerStandingTests {
  @Test func `every device is listed with what it has written and what it has of ours`() throws {
    try withFleet { fleet in
      try fleet.write(1, on: fleet.a)
      try fleet.write(2, on: fleet.b)
      try fleet.meet()
      try fleet.write(3, on: fleet.a)
      try fleet.a.exchange()
      let all = try fleet.standings(on: fleet.a)
      #expect(all.map(\.name) == ["A", "B", "C"])
      #expect(all.map(\.state) == [.active, .active, .active])
      let last = all[0].sequence
      #expect(
        all.map(\.acknowledged.rawValue)
          == [last, last, last].enumerated().map {
            $0.element.rawValue - ($0.offset == 0 ? 0 : 1)
          })
      #expect(all[1].sequence.rawValue >= 1)
      #expect(all[1].time > .zero)
    }
  }

  @Test func `who has said nothing new on seven days of synchronising is silent`() throws {
    try withFleet { fleet in
      try fleet.write(1, on: fleet.a)
      try fleet.meet()
      // On this day the store records what the others have said.
      try fleet.pass(days: 1, on: fleet.a)
      try fleet.pass(days: 6, on: fleet.a)
      #expect(try fleet.states(on: fleet.a) == ["active", "active", "active"])
      try fleet.pass(days: 1, on: fleet.a)
      #expect(try fleet.states(on: fleet.a) == ["active", "silent", "silent"])
      #expect(try fleet.standings(on: fleet.a)[1].silentDays == 7)
      try fleet.write(2, on: fleet.b)
      try fleet.b.exchange()
      #expect(try fleet.states(on: fleet.a) == ["active", "active", "silent"])
    }
  }

  @Test func `one without which a horizon was declared after its silence is retired`() throws {
    try withTemporaryDirectory { directory in
      let fleet = try HorizonFleet(in: directory, "a", "b", "c")
      try fleet.settle(rounds: 2)
      let (peer, before) = (fleet.peer("c"), try #require(try fleet.record("a").state.obeyed))
      #expect(before.members.contains(peer))
      fleet.drop("c")
      var states: [Int: PeerStanding] = [:]
      for day in 1...96 {
        fleet.pass(days: 1)
        try fleet.write("UPDATE t SET v = 'day \(day)' WHERE id = 0", on: "a")
        try fleet.meet("a", "b", rounds: 1)
        if [15, 96].contains(day) {
          states[day] = try fleet["a"].peers().first { $0.peer == peer }
        }
      }
      #expect(states[15]?.state == .silent)
      #expect(states[15]?.holdsHorizon == true)
      #expect(try fleet.record("a").state.obeyed?.members.contains(peer) == false)
      #expect(states[96]?.state == .retired)
      #expect(states[96]?.holdsHorizon == false)
      // The user's word is still news: what it published last is issued again only now.
      #expect(try fleet["a"].retire("c").isNews)
      #expect(try !fleet["a"].retire("c").isNews)
    }
  }

  @Test func `one that only reads is heard by its receipts`() throws {
    try withFleet { fleet in
      try fleet.meet()
      for id in 1...9 {
        try fleet.write(id, on: fleet.a)
        try fleet.pass(days: 1, on: fleet.a)
        _ = try fleet.b.synchronize()
      }
      #expect(try fleet.states(on: fleet.a) == ["active", "active", "silent"])
    }
  }

  @Test func `days on which the store was off, or its container away, make nobody silent`() throws {
    try withFleet { fleet in
      try fleet.meet()
      fleet.clock.advance(by: 90 * 86_400_000)
      _ = try fleet.a.synchronize()
      #expect(try fleet.states(on: fleet.a) == ["active", "active", "active"])
      let away = fleet.devices.container + "-away"
      try FileManager.default.moveItem(atPath: fleet.devices.container, toPath: away)
      try fleet.pass(days: 20, on: fleet.a)
      try FileManager.default.moveItem(atPath: away, toPath: fleet.devices.container)
      #expect(try fleet.states(on: fleet.a) == ["active", "active", "active"])
    }
  }

  @Test func `an older peer json that a carrier brings back says nothing new`() throws {
    try withFleet { fleet in
      try fleet.meet()
      let path = "\(fleet.devices.container)/tributary/C/peers/\(fleet.b.store.peer)/peer.json"
      let old = try Data(contentsOf: URL(filePath: path))
      try fleet.write(1, on: fleet.b)
      try fleet.meet()
      try fleet.pass(days: 8, on: fleet.a)
      #expect(try fleet.states(on: fleet.a)[1] == "silent")
      try old.write(to: URL(filePath: path))
      #expect(try fleet.states(on: fleet.a)[1] == "silent")
      try fleet.pass(days: 1, on: fleet.a)
      #expect(try fleet.states(on: fleet.a)[1] == "silent")
    }
  }

  @Test func `a silent synchronisation in one session counts every day`() throws {
    try withFleet { fleet in
      try fleet.meet()
      try fleet.pass(days: 1, on: fleet.a)
      for _ in 0..<3 { _ = try fleet.a.synchronize() }
      #expect(try fleet.standings(on: fleet.a)[1].silentDays <= 1)
      try fleet.pass(days: 7, on: fleet.a)
      #expect(try fleet.standings(on: fleet.a)[1].state == .silent)
    }
  }

  @Test func `who alone lacks something holds the others back, until it is retired`() throws {
    try withFleet { fleet in
      try fleet.meet()
      #expect(try fleet.holders(on: fleet.a) == [false, false, false])
      try fleet.write(1, on: fleet.a)
      for session in [fleet.a, fleet.b, fleet.a] { try session.exchange() }
      #expect(try fleet.holders(on: fleet.a) == [false, false, true])
      #expect(try fleet.holders(on: fleet.b) == [false, false, true])
      let space = try #require(try fleet.a.status().space.container)
      #expect(space.holders == [fleet.c.store.peer])
      #expect(space.held > 0)
      _ = try fleet.a.retire("C")
      #expect(try fleet.states(on: fleet.a) == ["active", "active", "retired"])
      #expect(try fleet.holders(on: fleet.a) == [false, false, false])
      // Whoever reads it leaves that one out, too.
      #expect(try fleet.states(on: fleet.b) == ["active", "active", "retired"])
      #expect(try fleet.a.status().space.container?.holders == [])
    }
  }

  @Test func `without the container nothing is said of the peers`() throws {
    try withFleet { fleet in
      try fleet.meet()
      try FileManager.default.removeItem(atPath: fleet.devices.container)
      #expect(throws: ContainerError.self) { try fleet.a.peers() }
    }
  }
}

struct RetiringTests {
  private func retired(_ fleet: Fleet, by session: SyncSession) throws -> [String] {
    let path = "\(fleet.devices.container)/tributary/C/peers/\(session.store.peer)/peer.json"
    let object = try JSONSerialization.jsonObject(with: Data(contentsOf: URL(filePath: path)))
    return try #require((object as? [String: Any])?["retired"] as? [String])
  }

  @Test func `a retired peer is named in one's own peer json, once`() throws {
    try withFleet { fleet in
      try fleet.meet()
      let c = fleet.c.store.peer
      let first = try fleet.a.retire("\(c)")
      #expect(first.isNews)
      #expect(first.standing.peer == c)
      #expect(try retired(fleet, by: fleet.a) == ["\(c)"])
      for text in ["\(c)", "C", "\(c)".prefix(20).uppercased()] {
        #expect(try fleet.a.retire(text).isNews == false)
      }
      // Another session of the store says the same, and so does what it publishes later.
      let other = try SyncSession(store: fleet.devices.path("a"))
      try fleet.write(1, on: other)
      try other.exchange()
      #expect(try retired(fleet, by: fleet.a) == ["\(c)"])
      #expect(try fleet.b.retire("C").isNews == false)
      #expect(try retired(fleet, by: fleet.b) == ["\(c)"])
    }
  }

  @Test func `a retired peer that is there after all loses nothing`() throws {
    try withFleet { fleet in
      try fleet.meet()
      _ = try fleet.a.retire("C")
      try fleet.write(1, on: fleet.a)
      try fleet.write(2, on: fleet.c)
      try fleet.meet()
      for session in fleet.sessions { #expect(try session.rows("SELECT id FROM t") == ["1", "2"]) }
      #expect(try fleet.states(on: fleet.c) == ["active", "active", "retired"])
    }
  }

  @Test func `a rebuilt store still says whom it has retired`() throws {
    try withFleet { fleet in
      try fleet.meet()
      _ = try fleet.a.retire("C")
      for session in fleet.sessions { session.store.close() }
      _ = try Engine.rebuild(store: fleet.devices.path("a"))
      let again = try SyncSession(store: fleet.devices.path("a"))
      try again.exchange()
      #expect(try retired(fleet, by: again) == ["\(fleet.c.store.peer)"])
    }
  }

  @Test func `what makes no sense is refused by name, and changes nothing`() throws {
    try withFleet { fleet in
      try fleet.meet()
      func code(_ text: String) throws -> SyncError.Code? {
        do {
          _ = try fleet.a.retire(text)
          return nil
        } catch let error as SyncError {
          return error.code
        }
      }
      #expect(try code("A") == .ownPeer)
      #expect(try code("\(fleet.a.store.peer)") == .ownPeer)
      #expect(try code("nobody") == .unknownPeer)
      #expect(try code("") == .unknownPeer)
      #expect(try code("0000000000000000000000000000abcd") == .unknownPeer)
      var request = AttachRequest(
        store: fleet.devices.path("c"), container: fleet.devices.container, contentName: "C")
      request.peerName = "B"
      _ = try Engine.attach(request)
      #expect(try code("B") == .ambiguousPeer)
      #expect(try retired(fleet, by: fleet.a) == [])
      try FileManager.default.removeItem(atPath: fleet.devices.container)
      #expect(throws: ContainerError.self) { try fleet.a.retire("B") }
    }
  }
}
