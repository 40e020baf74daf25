import Foundation
import Testing

/// Two devices share a music library.
struct MusicTests {
  private func withDevices(
    _ body: (_ desk: Example, _ phone: Example) throws -> Void
  ) throws {
    let directory = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    defer { try? FileManager.default.removeItem(at: directory) }
    let shared = directory.appending(path: "shared")
    try FileManager.default.createDirectory(at: shared, withIntermediateDirectories: true)
    let devices = ["desk", "phone"].map { device in
      Example(
        name: "music",
        environment: [
          "MUSIC_SHARED": shared.path,
          "MUSIC_LIBRARY": directory.appending(path: "\(device).sqlite").path,
        ])
    }
    try body(devices[0], devices[1])
  }

  @Test func `both have all albums, and listenings add up`() throws {
    try withDevices { desk, phone in
      try desk("add", "Joni Mitchell", "Blue", "1971")
      try phone("add", "Joni Mitchell", "Hejira", "1976")
      try desk("play", "Blue")
      try phone("play", "Blue")
      try desk("rate", "Hejira", "5")
      let list = try phone("list")
      #expect(
        list == """
          Joni Mitchell: Blue (1971) 2 plays 
          Joni Mitchell: Hejira (1976) 0 plays *****

          """)
      #expect(try desk("list") == list)
    }
  }

  @Test func `a service prints what is written on either device`() throws {
    try withDevices { desk, phone in
      let service = try phone.start("serve")
      defer { service.end() }
      #expect(try service.line().hasPrefix("serving "))
      try desk("add", "Joni Mitchell", "Blue", "1971")
      #expect(try service.line() == "Blue, 0 plays, from another device")
      try phone("play", "Blue")
      #expect(try service.line() == "Blue, 1 plays, here")
      service.interrupt()
      #expect(try service.line() == "stopped")
      #expect(service.end() == 0)
      #expect(try phone("list") == "Joni Mitchell: Blue (1971) 1 plays \n")
    }
  }

  @Test func `a wrong command says what is right, and what is refused changes nothing`() throws {
    try withDevices { (desk, _) throws in
      #expect(try desk.run(["rate", "Blue", "6"]).errors == "music: 6 is no number from 1 to 5\n")
      #expect(try desk.run(["play", "Blue"]).errors == "music: there is no album Blue\n")
      #expect(try desk("list") == "")
    }
  }
}
