import Foundation
import Testing
import TributaryDocuments
import TributaryStore
import TributarySync
import TributaryTesting

/// Processes that work with documents and are killed at any moment.
struct DocumentKillTests {
  @Test func `devices agree on documents, and no write is lost but with its document`() throws {
    for seeds in Soak.seeds(part: 0, otherwise: 2) {
      try withSeeds(seeds, filter: "DocumentKillTests") { random in
        try withTemporaryDirectory { directory in
          var ground = DocumentKillingGround(directory: directory, random: random)
          try ground.run(kills: 30)
          try ground.check()
        }
      }
      Soak.didFinish("DocumentKillTests")
    }
  }
}

/// Three devices with one directory of containers, and whoever kills them.
struct DocumentKillingGround {
  private let directory: String
  private var random: SeededGenerator
  private var running: [DoomedProcess?] = [nil, nil, nil]
  private var made: Set<String> = []
  private var written: [String: Set<String>] = [:]
  private var doomed: Set<String> = []
  private var deleted: Set<String> = []
  /// How many times as long a process lives as on an idle machine.
  private var patience = 1

  /// At least so many writes are reported.
  private static let fewestWrites = 30

  init(directory: String, random: SeededGenerator) {
    self.directory = directory
    self.random = random
  }

  private func places(_ device: Int) -> DataPlaces {
    DataPlaces(containers: directory + "/shared", data: "\(directory)/d\(device)")
  }

  /// - Parameter kills: the least; on a busy machine, processes live longer after as many, until they have come to write.
  mutating func run(kills: Int) throws {
    var count = 0
    while count < kills || written.values.reduce(0, { $0 + $1.count }) <= Self.fewestWrites {
      if count > 0, count.isMultiple(of: kills) { patience *= 4 }
      count += 1
      for device in running.indices where running[device] == nil { try start(device) }
      let next = running.indices.min { running[$0]!.end < running[$1]!.end }!
      running[next]!.waitForEnd()
      try kill(next)
    }
    for device in running.indices where running[device] != nil { try kill(device) }
  }

  private mutating func start(_ device: Int) throws {
    let places = places(device)
    running[device] = try DoomedProcess(
      arguments: [
        "documents", places.containers, places.data, "d\(device)", String(random.next()),
      ], milliseconds: Int.random(in: 20...250, using: &random) * patience)
  }

  private mutating func kill(_ device: Int) throws {
    let remains = try running[device]!.kill()
    running[device] = nil
    try #require(
      remains.wasRunning && remains.complaint.isEmpty,
      "device \(device) ended by itself: \(remains.complaint); \(random)")
    for line in remains.lines {
      let words = line.split(separator: " ").map(String.init)
      switch words[0] {
      case "c": made.insert(words[1])
      case "w": written[words[1], default: []].insert(words[2])
      case "d": doomed.insert(words[1])
      default: deleted.insert(words[1])
      }
    }
  }

  /// Checks what the devices have once all of them have looked.
  func check() throws {
    let devices = try running.indices.map {
      try Documents(containers: Containers(places: places($0)))
    }
    for device in devices { _ = try device.list() }
    let lists = try devices.map { try $0.list() }
    let names = try lists.map { try $0.map { try #require($0.contentName) } }
    try #require(Set(names).count == 1, "\(names); \(random)")
    let present = Set(names[0])
    try #require(present.isDisjoint(with: deleted), "\(random)")
    // What is gone was to be deleted.
    let gone = made.union(written.keys).subtracting(present)
    try #require(gone.isSubset(of: doomed), "\(gone.subtracting(doomed)); \(random)")
    for document in lists[0] {
      let stores = try devices.map { try $0.open(document.path) }
      for _ in 0..<3 { for store in stores { try store.synchronize() } }
      let keys = written[document.contentName!] ?? []
      var digests: Set<String> = []
      for open in stores {
        let session = try SyncSession(store: open.store)
        defer { session.store.close() }
        let notes = try session.store.read { database in
          try database.query("SELECT id FROM note").compactMap { $0.string("id") }
        }
        let missing = keys.subtracting(notes)
        try #require(missing.isEmpty, "\(document.path) lacks \(missing); \(random)")
        digests.insert(try session.store.digest().total)
      }
      try #require(digests.count == 1, "\(document.path); \(random)")
    }
    for device in devices {
      try #require(try device.list().allSatisfy { $0.isHere && $0.state == .normal }, "\(random)")
    }
  }
}
