import Foundation
import Testing
import TributaryCore
import TributaryKeyValue
import TributarySQLite
import TributaryStore
import TributarySync
import TributaryTesting

/// Key-value stores that were detached, and are attached again.
struct DetachedTests {
  /// A device that was detached, after all had met; another program has written its database since.
  private func detached(_ household: Households, _ others: [Device], removesLogs: Bool = false)
    throws
    -> KeyValuePlace
  {
    let place = household.place("a")
    let device = try household.device("a")
    try device.engine.set(.integer(1), for: "both")
    try device.engine.set(.integer(1), for: "shared")
    try meet([device] + others)
    try device.engine.close()
    try Engine.detach(store: place.path, removeLogs: removesLogs)
    let connection = try Connection(path: place.path, mode: .readWrite)
    try connection.execute(
      """
      INSERT OR REPLACE INTO key_value VALUES ('both', 'integer', 2, 9000000000000);
      INSERT INTO key_value VALUES ('own', 'integer', 3, 5)
      """)
    connection.close()
    return place
  }

  @Test func `its values join those of the container, which win, and no conflict is left`() throws {
    try withTemporaryDirectory { directory in
      let household = try Households(in: directory)
      let other = try household.device("b")
      let place = try detached(household, [other])
      try other.engine.set(.integer(4), for: "theirs")
      try other.engine.set(.integer(4), for: "both")
      try other.synchronize()
      let again = try household.device("a")
      try meet([again, other])
      let expected: [String: PropertyListValue] = [
        "both": .integer(4), "own": .integer(3), "shared": .integer(1), "theirs": .integer(4),
      ]
      #expect(try again.contents() == expected)
      #expect(try other.contents() == expected)
      #expect(try again.conflicts() == 0 && other.conflicts() == 0)
      // A set is a set, as before.
      try again.engine.set(.integer(5), for: "both")
      try meet([again, other])
      #expect(try other.value("both") == .integer(5))
      #expect(try LocalStore.isAttached(at: place.path))
    }
  }

  @Test func `where the container has nothing any more, its values are those of the store`() throws
  {
    try withTemporaryDirectory { directory in
      let household = try Households(in: directory)
      _ = try detached(household, [], removesLogs: true)
      let again = try household.device("a")
      let other = try household.device("b")
      try meet([again, other])
      let expected: [String: PropertyListValue] = [
        "both": .integer(2), "own": .integer(3), "shared": .integer(1),
      ]
      #expect(try again.contents() == expected)
      #expect(try other.contents() == expected)
      #expect(other.engine.profile == .standard)
      try other.engine.remove("own")
      try other.engine.set(.integer(6), for: "both")
      try meet([again, other])
      #expect(try again.contents() == ["both": .integer(6), "shared": .integer(1)])
      #expect(try again.conflicts() == 0 && other.conflicts() == 0)
    }
  }

  @Test func `until then it says how to attach it, and other databases do not`() throws {
    try withTemporaryDirectory { directory in
      let household = try Households(in: directory)
      let place = try detached(household, [])
      func refusal(_ place: KeyValuePlace) throws -> StoreError {
        try #require(throws: StoreError.self) { try KeyValueEngine(attached: place) }
      }
      #expect(try refusal(place).code == .notAttached)
      #expect(try refusal(place).details.remedy == "call `KeyValueStore.open(at:options:)`")
      #expect(
        try refusal(household.place("none")).details.remedy
          == "check the path, or call `KeyValueStore.open(at:options:)` to make it or have it rebuilt"
      )
      let tables = household.place("tables")
      try Connection(path: tables.path, mode: .create).execute("CREATE TABLE t (a)")
      #expect(
        try refusal(tables).details.remedy
          == "make a key-value store with `KeyValueStore.open(at:options:)`, at the path of a file that does not exist yet"
      )
    }
  }

  @Test func `other limits, and a table of another kind under its name, are refused`() throws {
    try withTemporaryDirectory { directory in
      let household = try Households(in: directory)
      let place = try detached(household, [], removesLogs: true)
      let bytes = FileManager.default.contents(atPath: place.path)
      let asked = #expect(throws: KeyValueError.self) { try household.device("a", .compact) }
      #expect(asked?.code == .differentProfile)
      _ = try household.device("b", .compact)
      let shared = #expect(throws: KeyValueError.self) { try household.device("a") }
      #expect(shared?.code == .differentProfile)
      #expect(FileManager.default.contents(atPath: place.path) == bytes)
      let tables = household.place("tables")
      try Connection(path: tables.path, mode: .create).execute(
        "CREATE TABLE key_value (key, value)")
      let other = #expect(throws: KeyValueError.self) { try household.device("tables") }
      #expect(other?.code == .notKeyValueStore)
    }
  }
}

extension Device {
  fileprivate func value(_ key: String) throws -> PropertyListValue? {
    try engine.value(for: key)?.propertyListValue
  }
}
