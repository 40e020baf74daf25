import Foundation
import Testing
import TributaryDocuments
import TributaryStore
import TributarySync
import TributaryTesting

/// Devices that have a directory of containers each, and a carrier between them that delivers files one by one, in any
/// order.
struct DocumentCarrierTests {
  @Test func `devices agree on documents, in whatever order their files arrive`() throws {
    for seeds in Soak.seeds(part: 0, otherwise: 4) {
      try withSeeds(seeds, filter: "DocumentCarrierTests") { random in
        try withTemporaryDirectory { directory in
          var voyage = try DocumentVoyage(in: directory, random)
          for _ in 0..<60 { try voyage.step() }
          try voyage.arrive()
          try voyage.check()
        }
      }
      Soak.didFinish("DocumentCarrierTests")
    }
  }
}

/// Some devices, what they have done, and the carrier.
struct DocumentVoyage {
  private let devices: [Documents]
  private var carrier: TreeCarrier
  private var random: SeededGenerator
  private var made: Set<String> = []
  private var doomed: Set<String> = []
  private var written: [String: Set<String>] = [:]
  private var count = 0
  /// What was done, for a failure.
  private var trace: [String] = []

  private static let schema = [
    Migration(name: "1", sql: "CREATE TABLE note (id TEXT PRIMARY KEY, text TEXT)")
  ]

  init(in directory: String, _ random: SeededGenerator) throws {
    self.random = random
    let numbers = 0..<3
    devices = try numbers.map { number in
      let places = DataPlaces(
        containers: "\(directory)/\(number)/shared", data: "\(directory)/\(number)/data")
      let containers = Containers(places: places)
      _ = try containers.path(for: DocumentFixture.identifier)
      return try Documents(containers: containers)
    }
    carrier = TreeCarrier(numbers.map { "\(directory)/\($0)/shared" })
  }

  private func path(_ device: Int, _ name: Int) -> String {
    carrier.roots[device] + "/\(DocumentFixture.identifier.directoryName)/Documents/\(name).note"
  }

  mutating func step() throws {
    let place = Int.random(in: 0..<devices.count, using: &random)
    let device = devices[place]
    // Few names, so that devices choose the same ones.
    let name = path(place, Int.random(in: 0..<4, using: &random))
    let choice = Int.random(in: 0..<12, using: &random)
    guard choice < 9 else {
      let chance = [20, 60, 100][choice - 9]
      try carrier.deliver(to: place, chance: chance, &random)
      trace.append("\(place) is brought \(chance) %")
      return
    }
    if choice == 0 {
      if let document = try unlessTaken({
        try device.create(at: name, options: DocumentOptions(migrations: Self.schema))
      }) {
        made.insert(document.metadata.contentName)
        trace.append("\(place) makes \(name.lastPathComponent): \(document.metadata.contentName)")
      }
      return
    }
    let list = try device.list()
    guard let document = list.randomElement(using: &random), let content = document.contentName
    else { return }
    let what = "\(document.path.lastPathComponent), \(content)"
    switch choice {
    case 1:
      let moved: Void? = try unlessTaken { try device.move(document.path, to: name) }
      trace.append("\(place) moves \(what) to \(name.lastPathComponent): \(moved != nil)")
    case 2:
      trace.append("\(place) deletes \(what)")
      doomed.insert(content)
      try device.delete(document.path)
    default:
      guard let open = try unlessTaken({ try device.open(document.path) }) else { return }
      count += 1
      try open.write("\(place)-\(count)", "x")
      written[content, default: []].insert("\(place)-\(count)")
      trace.append("\(place) writes into \(what)\(choice > 4 ? " and synchronises" : "")")
      if choice > 4 {
        let session = try SyncSession(store: open.store)
        // A container where files are missing is no reason to stop.
        _ = try session.synchronize()
        session.store.close()
      }
    }
    try carrier.scan(place)
  }

  /// Runs `body` where a name may be taken, or logs may not have arrived.
  private func unlessTaken<Result>(_ body: () throws -> Result) throws -> Result? {
    do {
      return try body()
    } catch let error as DocumentError where [.exists, .unavailable, .deleted].contains(error.code)
    {
      return nil
    } catch let error as SyncError where error.code == .logsMissing {
      return nil
    }
  }

  /// Delivers everything, and lets everyone look, until nothing changes any more.
  mutating func arrive() throws {
    for _ in 0..<8 {
      for place in devices.indices {
        for _ in 0..<6 where try carrier.deliver(to: place, chance: 100, &random) {}
        for document in try devices[place].list() {
          guard let open = try unlessTaken({ try devices[place].open(document.path) }) else {
            continue
          }
          let session = try SyncSession(store: open.store)
          _ = try session.synchronize()
          session.store.close()
        }
        try carrier.scan(place)
      }
    }
  }

  func check() throws {
    let lists = try devices.enumerated().map { place, device in
      try device.list().map {
        "\($0.path.dropFirst(carrier.roots[place].count)) \($0.contentName ?? "?")"
      }
    }
    try #require(Set(lists).count == 1, "\(lists.map { $0.joined(separator: "\n") }); \(random)")
    let present = Set(try devices[0].list().compactMap(\.contentName))
    let lost = made.subtracting(present).subtracting(doomed)
    try #require(lost.isEmpty, "lost: \(lost); \(random)\n\(trace.joined(separator: "\n"))")
    for name in present {
      var digests: Set<String> = []
      for device in devices {
        let document = try #require(device.list().first { $0.contentName == name })
        let open = try device.open(document.path)
        let session = try SyncSession(store: open.store)
        defer { session.store.close() }
        let missing = try (written[name] ?? []).subtracting(
          open.notes().map { String($0.dropLast(2)) })
        try #require(
          missing.isEmpty,
          "\(document.path) lacks \(missing); \(random)\n\(trace.joined(separator: "\n"))")
        digests.insert(try session.store.digest().total)
      }
      try #require(digests.count == 1, "\(name); \(random)")
    }
  }
}
