import Foundation
import Testing
import TributaryCore
import TributaryKeyValue
import TributaryTesting

struct LastSetTests {
  /// What each key was last set to, and when: the definition.
  private struct Reference {
    private var entries: [String: (stamp: Stamp, value: PropertyListValue?)] = [:]

    mutating func set(_ value: PropertyListValue?, for key: String, at stamp: Stamp) {
      if let entry = entries[key], entry.stamp > stamp { return }
      entries[key] = (stamp, value)
    }

    var contents: [String: PropertyListValue] { entries.compactMapValues(\.value) }
  }

  @Test func `the last set of each key wins on every device, and leaves nothing to settle`() throws
  {
    for seeds in Soak.seeds(part: 0, otherwise: 12) {
      try withSeeds(seeds) { random in
        try withTemporaryDirectory { directory in
          let household = try Households(in: directory)
          let devices = try (0..<Int.random(in: 2...4, using: &random)).map {
            try household.device("\($0)")
          }
          var reference = Reference()
          for step in 0..<60 {
            let device = devices.randomElement(using: &random)!
            let key = "k\(Int.random(in: 0..<5, using: &random))"
            switch Int.random(in: 0..<10, using: &random) {
            case 0...5:
              // Few values, so that devices often set the same one.
              let value = PropertyListValue.integer(.random(in: 0..<3, using: &random))
              try device.engine.set(value, for: key)
              let time = try #require(try device.lastTime())
              reference.set(value, for: key, at: Stamp(time: time, peer: device.engine.store!.peer))
            case 6, 7:
              // What is not there cannot be removed, whatever others have set.
              guard try device.engine.remove(key) else { break }
              let time = try #require(try device.lastTime())
              reference.set(nil, for: key, at: Stamp(time: time, peer: device.engine.store!.peer))
            default: try device.synchronize()
            }
            if step % 20 == 19 {
              try meet(devices)
              for device in devices {
                try #require(try device.contents() == reference.contents)
              }
            }
          }
          for device in devices {
            try #require(try device.conflicts() == 0)
            let digest = try device.engine.store!.digest().total
            try #require(try digest == devices[0].engine.store!.digest().total)
          }
        }
      }
    }
  }

  @Test func `a set to the same value counts as a set`() throws {
    try withTemporaryDirectory { directory in
      let household = try Households(in: directory)
      let (a, b) = (try household.device("a"), try household.device("b"))
      try a.engine.set(.string("dark"), for: "theme")
      try meet([a, b])
      try b.engine.set(.string("light"), for: "theme")
      awaitClockTick()
      try a.engine.set(.string("dark"), for: "theme")
      try meet([a, b])
      #expect(try a.contents() == ["theme": .string("dark")])
      #expect(try b.contents() == ["theme": .string("dark")])
    }
  }

  @Test func `a set after a removal that it did not know brings the value back`() throws {
    try withTemporaryDirectory { directory in
      let household = try Households(in: directory)
      let (a, b) = (try household.device("a"), try household.device("b"))
      try a.engine.set(.integer(1), for: "k")
      try meet([a, b])
      try a.engine.remove("k")
      awaitClockTick()
      try b.engine.set(.integer(2), for: "k")
      try meet([a, b])
      #expect(try a.contents() == ["k": .integer(2)])
      #expect(try b.contents() == ["k": .integer(2)])
      #expect(try a.conflicts() + b.conflicts() == 0)
    }
  }

  @Test(arguments: [["set", "remove"], ["remove", "set"], ["set", "set"], ["remove", "remove"]])
  func `of keys that two devices remove and set again apart, the last step of both counts`(
    lastSteps: [String]
  ) throws {
    try withTemporaryDirectory { directory in
      let household = try Households(in: directory)
      let devices = [try household.device("a"), try household.device("b")]
      try devices[0].engine.set(.integer(0), for: "k")
      try meet(devices)
      for (number, device) in devices.enumerated() {
        awaitClockTick()
        try device.engine.remove("k")
        try device.engine.set(.integer(Int64(number)), for: "k")
      }
      for (number, device) in devices.enumerated() {
        awaitClockTick()
        if lastSteps[number] == "set" {
          try device.engine.set(.integer(Int64(10 + number)), for: "k")
        } else {
          try device.engine.remove("k")
        }
      }
      try meet(devices)
      let expected: [String: PropertyListValue] =
        lastSteps[1] == "set" ? ["k": .integer(11)] : [:]
      #expect(try devices.map { try $0.contents() } == [expected, expected])
      #expect(try devices.map { try $0.conflicts() } == [0, 0])
    }
  }

  @Test func `keys that differ only in the composition of a letter are two keys`() throws {
    try withTemporaryDirectory { directory in
      let a = try Households(in: directory).device("a")
      try a.engine.set(.integer(1), for: "caf\u{E9}")
      try a.engine.set(.integer(2), for: "cafe\u{301}")
      #expect(try a.engine.values().count == 2)
      #expect(try a.engine.usage().keyCount == 2)
      #expect(try a.engine.value(for: "caf\u{E9}")?.propertyListValue == .integer(1))
    }
  }
}
