import Foundation
import Testing
import TributarySQLite
import TributaryStore
import TributarySync
import TributaryTesting

/// `user_version` and `application_id`, by which programs know their databases.
struct HeaderNumberTests {
  private static let tables = "CREATE TABLE song (id INTEGER PRIMARY KEY, title TEXT);"
  private static let numbers = HeaderNumbers(userVersion: 27, applicationID: -1_112_033_025)

  /// What another program does to the file.
  private func run(_ devices: SyncDevices, _ name: String, _ sql: String) throws {
    let connection = try Connection(path: devices.path(name), mode: .create)
    defer { connection.close() }
    try connection.execute(sql)
  }

  private func numbers(_ devices: SyncDevices, _ name: String) throws -> HeaderNumbers {
    let connection = try Connection(path: devices.path(name), mode: .readWrite)
    defer { connection.close() }
    return try connection.headerNumbers()
  }

  /// A device with a database that its program has made.
  private func open(_ devices: SyncDevices, _ name: String = "a") throws -> SyncSession {
    try run(
      devices, name,
      Self.tables + Self.numbers.statements.joined(separator: ";")
        + "; INSERT INTO song VALUES (1, 'one')")
    return try devices.open(name)
  }

  @Test(arguments: [false, true])
  func `a database whose tables the container makes gets their numbers`(isThere: Bool) throws {
    try withTemporaryDirectory { directory in
      let devices = try SyncDevices(in: directory)
      try open(devices).exchange()
      if isThere { try run(devices, "b", "PRAGMA user_version = 1") }
      let b = try devices.open("b")
      #expect(try b.rows("SELECT title FROM song") == ["one"])
      #expect(try numbers(devices, "b") == Self.numbers)
    }
  }

  @Test func `a store that waited for tables gets the numbers with them`() throws {
    try withTemporaryDirectory { directory in
      let devices = try SyncDevices(in: directory)
      let b = try devices.open("b")
      try open(devices).exchange()
      #expect(try numbers(devices, "b") == HeaderNumbers())
      try b.exchange()
      #expect(try b.rows("SELECT title FROM song") == ["one"])
      #expect(try numbers(devices, "b") == Self.numbers)
    }
  }

  @Test func `a database with tables of its own keeps its own numbers`() throws {
    try withTemporaryDirectory { directory in
      let devices = try SyncDevices(in: directory)
      let a = try open(devices)
      try a.exchange()
      try run(devices, "b", Self.tables + "PRAGMA user_version = 3")
      let b = try devices.open("b")
      try exchange(a, b)
      #expect(try numbers(devices, "a") == Self.numbers)
      #expect(try numbers(devices, "b") == HeaderNumbers(userVersion: 3))
      // Where several peers have equal tables, a new device makes those of the newest version.
      try devices.open("c").exchange()
      #expect(try numbers(devices, "c") == Self.numbers)
    }
  }

  @Test func `a program that migrates passes its new number on, also when nothing else changes`()
    throws
  {
    try withTemporaryDirectory { directory in
      let devices = try SyncDevices(in: directory)
      let a = try open(devices)
      // Until it has nothing to do any more.
      for _ in 0..<3 { try a.exchange() }
      try run(devices, "a", "PRAGMA user_version = 28")
      try a.exchange()
      try devices.open("b").exchange()
      #expect(
        try numbers(devices, "b")
          == HeaderNumbers(userVersion: 28, applicationID: Self.numbers.applicationID))
    }
  }
}
