import Foundation
import Testing
import TributaryKeyValue
import TributaryTesting

struct LimitTests {
  private func text(_ count: Int) -> PropertyListValue {
    .string(String(repeating: "x", count: count))
  }

  /// Checks that a set is refused by this code, and that nothing has changed.
  private func expectRefusal(
    _ code: KeyValueError.Code, _ device: Device, _ value: PropertyListValue, for key: String,
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let before = (try device.contents(), try device.engine.usage(), try device.transactions())
    let error = #expect(throws: KeyValueError.self, sourceLocation: sourceLocation) {
      try device.engine.set(value, for: key)
    }
    #expect(error?.code == code, sourceLocation: sourceLocation)
    #expect(error?.remedy.isEmpty == false && error?.path == device.engine.path)
    #expect(try device.contents() == before.0, sourceLocation: sourceLocation)
    #expect(try device.engine.usage() == before.1, sourceLocation: sourceLocation)
    #expect(try device.transactions() == before.2, sourceLocation: sourceLocation)
  }

  @Test(arguments: KeyValueProfile.allCases)
  func `a value may have its limit and no byte more`(profile: KeyValueProfile) throws {
    try withTemporaryDirectory { directory in
      let device = try Households(in: directory).device("a", profile)
      #expect(device.engine.profile == profile)
      let limit = [.classic: 65_536, .compact: 4_096, .standard: 1_048_576][profile]!
      try device.engine.set(text(limit - 1), for: "k")
      try device.engine.set(text(limit), for: "k")
      try expectRefusal(.valueTooLarge, device, text(limit + 1), for: "k")
      try expectRefusal(.valueTooLarge, device, text(limit + 1), for: "other")
      #expect(try device.engine.usage().valueBytes == limit)
    }
  }

  @Test(arguments: KeyValueProfile.allCases)
  func `all values together may have their limit and no byte more`(profile: KeyValueProfile) throws
  {
    try withTemporaryDirectory { directory in
      let device = try Households(in: directory).device("a", profile)
      let limit = [.classic: 65_536, .compact: 65_536, .standard: 1_048_576][profile]!
      let count = limit / 4096
      for number in 0..<count - 1 { try device.engine.set(text(4096), for: "k\(number)") }
      try device.engine.set(text(4095), for: "last")
      try device.engine.set(text(4096), for: "last")
      #expect(try device.engine.usage().valueBytes == limit)
      try expectRefusal(.storeFull, device, .bool(true), for: "more")
      // What takes no more room goes, and so does what makes room.
      try device.engine.set(text(4096).self, for: "k0")
      try device.engine.set(text(4095), for: "k0")
      try device.engine.set(.bool(true), for: "more")
      try expectRefusal(.storeFull, device, text(4096), for: "k0")
      try device.engine.remove("k1")
      try device.engine.set(text(4096), for: "k0")
      // An empty value needs no room.
      try device.engine.set(text(0), for: "empty")
    }
  }

  @Test func `a key may have 64 bytes of UTF-8`() throws {
    try withTemporaryDirectory { directory in
      let device = try Households(in: directory).device("a")
      for key in [String(repeating: "k", count: 63), String(repeating: "k", count: 64)] {
        try device.engine.set(.bool(true), for: key)
      }
      try device.engine.set(.bool(true), for: String(repeating: "ü", count: 32))
      try expectRefusal(.keyTooLong, device, .bool(true), for: String(repeating: "k", count: 65))
      try expectRefusal(.keyTooLong, device, .bool(true), for: String(repeating: "ü", count: 33))
      try expectRefusal(.emptyKey, device, .bool(true), for: "")
    }
  }

  @Test func `there may be 1,024 keys`() throws {
    try withTemporaryDirectory { directory in
      // In memory, so that not each set is a commit.
      let device = try Households(in: directory).device(
        "a", interval: .seconds(3600), flushLater: { _ in })
      for number in 0..<1024 { try device.engine.set(.integer(1), for: "k\(number)") }
      try expectRefusal(.tooManyKeys, device, .integer(1), for: "k1024")
      try device.engine.set(.integer(2), for: "k1023")
      try device.engine.remove("k0")
      try device.engine.set(.integer(1), for: "k1024")
      try device.engine.flush()
      #expect(try device.engine.usage().keyCount == 1024)
    }
  }

  @Test(arguments: [KeyValueProfile.classic, .compact])
  func `without a limit of their number, all keys together may have 64 KB`(
    profile: KeyValueProfile
  ) throws {
    try withTemporaryDirectory { directory in
      let device = try Households(in: directory).device("a", profile)
      try device.engine.set(.bool(true), for: String(repeating: "a", count: 65_535))
      try device.engine.set(.bool(true), for: "b")
      #expect(try device.engine.usage().keyBytes == 65_536)
      try expectRefusal(.keysTooLong, device, .bool(true), for: "c")
      try device.engine.set(.bool(false), for: "b")
    }
  }

  @Test func `the size of a value is that of its contents`() {
    let sizes: [(PropertyListValue, Int)] = [
      (.string("ü"), 2), (.integer(1), 8), (.real(1), 8), (.date(1), 8), (.bool(true), 1),
      (.data([1, 2, 3]), 3), (.array([]), 42),
    ]
    for (value, size) in sizes { #expect(StoredValue(value).byteCount == size, "\(value)") }
  }

  @Test func `what no property list can have is refused`() throws {
    try withTemporaryDirectory { directory in
      let device = try Households(in: directory).device("a")
      try expectRefusal(.unsupportedValue, device, .real(.nan), for: "k")
      try expectRefusal(.unsupportedValue, device, .array([.date(.nan)]), for: "k")
      var deep = PropertyListValue.bool(true)
      for _ in 0..<PropertyListValue.depthLimit { deep = .array([deep]) }
      try device.engine.set(deep, for: "deep")
      #expect(try device.contents()["deep"] == deep)
      try expectRefusal(.unsupportedValue, device, .array([deep]), for: "deep")
    }
  }

  @Test func `sets on two devices that together are too much all stay, and both are told`() throws {
    try withTemporaryDirectory { directory in
      let household = try Households(in: directory)
      let (a, b) = (
        try household.device("a", .compact), try household.device("b")
      )
      for number in 0..<10 { try a.engine.set(text(4096), for: "a\(number)") }
      for number in 0..<10 { try b.engine.set(text(4096), for: "b\(number)") }
      try meet([a, b])
      for device in [a, b] {
        #expect(try device.engine.usage().valueBytes == 20 * 4096)
        #expect(device.changes.all.map(\.reason) == [.quotaViolationChange])
        try expectRefusal(.storeFull, device, .bool(true), for: "more")
        try expectRefusal(.storeFull, device, .bool(true), for: "b10")
      }
      #expect(a.changes.all[0].changedKeys == (0..<10).map { "b\($0)" })
      #expect(try a.contents() == b.contents())
      // What takes no more room is accepted meanwhile.
      try a.engine.set(.bool(true), for: "b0")
      for number in 0..<5 { try a.engine.remove("b\(number)") }
      try meet([a, b])
      #expect(b.changes.all.last?.reason == .serverChange)
      try b.engine.set(.bool(true), for: "more")
    }
  }

  @Test(arguments: KeyValueProfile.allCases)
  func `keys of two devices that together are too many all stay, and both are told`(
    profile: KeyValueProfile
  ) throws {
    try withTemporaryDirectory { directory in
      let household = try Households(in: directory)
      // In memory, so that not each set is a commit.
      let devices = try ["a", "b"].map {
        try household.device($0, profile, interval: .seconds(3600), flushLater: { _ in })
      }
      let count = profile == .standard ? 600 : 400
      let filler = String(repeating: "k", count: profile == .standard ? 8 : 92)
      for (name, device) in zip(["a", "b"], devices) {
        for number in 0..<count {
          try device.engine.set(.bool(true), for: "\(name)\(filler)\(1000 + number)")
        }
        try device.engine.flush()
      }
      try meet(devices)
      for device in devices {
        #expect(try device.engine.usage().keyCount == 2 * count)
        #expect(device.changes.all.map(\.reason) == [.quotaViolationChange])
        try expectRefusal(
          profile == .standard ? .tooManyKeys : .keysTooLong, device, .bool(true), for: "more")
        // What needs no further key is accepted meanwhile.
        try device.engine.set(.bool(false), for: "a\(filler)1000")
        try device.engine.flush()
      }
      #expect(try devices[0].contents().keys == devices[1].contents().keys)
    }
  }
}
