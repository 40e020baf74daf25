import Testing
import TributaryKeyValue
import TributaryTesting

/// Starts three devices with a key-value store each, kills them at random times, and checks what they have kept.
struct SettingsKillingGround {
  private let households: Households
  private var random: SeededGenerator
  private var running: [DoomedProcess?] = [nil, nil, nil]
  /// What each key may have: what it had when its device last said that all is in the file, and all later sets, of
  /// which `nil` is a removal.
  private var possible: [String: [String?]] = [:]
  private var flushes = 0

  /// The number of times that devices must have said that all is in the file.
  private static let fewestFlushes = 30

  init(in directory: String, _ random: SeededGenerator) throws {
    households = try Households(in: directory)
    self.random = random
  }

  private func place(_ device: Int) -> KeyValuePlace {
    var place = households.place("d\(device)")
    place.identifier = "com.example.crash"
    return place
  }

  /// - Parameter kills: the least; on a busy machine it takes more until the processes have come to set values.
  mutating func run(kills: Int) throws {
    var count = 0
    while count < kills || flushes <= Self.fewestFlushes {
      count += 1
      for device in running.indices where running[device] == nil { try start(device) }
      let next = running.indices.min { running[$0]!.end < running[$1]!.end }!
      running[next]!.waitForEnd()
      try kill(next)
    }
    for device in running.indices where running[device] != nil { try kill(device) }
  }

  private mutating func start(_ device: Int) throws {
    let place = place(device)
    running[device] = try DoomedProcess(
      arguments: ["settings", place.path, place.container, "d\(device)", String(random.next())],
      milliseconds: Int.random(in: 10...120, using: &random))
  }

  private mutating func kill(_ device: Int) throws {
    let remains = try running[device]!.kill()
    running[device] = nil
    try #require(
      remains.wasRunning && remains.complaint.isEmpty,
      "device \(device) ended by itself: \(remains.complaint); \(random)")
    // What an earlier process left in memory is lost: only what this one has set is known to be in the file.
    var changed: Set<String> = []
    for line in remains.lines {
      let words = line.split(separator: " ").map(String.init)
      if words.count > 1 { changed.insert(words[1]) }
      switch words[0] {
      case "s": possible[words[1], default: [nil]].append(words[2])
      case "r": possible[words[1], default: [nil]].append(nil)
      default:
        flushes += 1
        for key in changed { possible[key]!.removeFirst(possible[key]!.count - 1) }
        changed = []
      }
    }
  }

  /// Checks what each store has, and that all have the same once they have met.
  func check() throws {
    let devices = try running.indices.map { device in
      _ = try place(device).attach()
      return try Device(place(device), interval: .zero, flushLater: nil)
    }
    for (device, own) in try devices.map({ try $0.contents() }).enumerated() {
      try check(own, of: { $0.hasPrefix("d\(device)-") })
    }
    try meet(devices)
    let contents = try devices.map { try $0.contents() }
    try #require(contents.allSatisfy { $0 == contents[0] }, "\(contents); \(random)")
    try check(contents[0], of: { _ in true })
    for device in devices {
      try #require(try device.conflicts() == 0, "\(random)")
      try device.engine.close()
    }
  }

  private func check(
    _ contents: [String: PropertyListValue], of isMeant: (String) -> Bool
  ) throws {
    for (key, values) in possible where isMeant(key) {
      let value = contents[key]
      try #require(
        values.contains { $0.map { .string($0) } == value },
        "\(key) is \(value as Any), not one of \(values); \(random)")
    }
    // Nothing else, but what all set.
    let known = Set(possible.keys).union(["shared"])
    try #require(Set(contents.keys).isSubset(of: known), "\(contents.keys); \(random)")
  }
}
