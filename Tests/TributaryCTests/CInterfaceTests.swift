import CSQLite
import CTributary
import Foundation
import Testing
import TributarySQLite
import TributaryTesting

struct CInterfaceTests {
  @Test func `what SQLite writes on one device arrives on the other`() throws {
    try withTemporaryDirectory { directory in
      let (a, b) = (try Device(directory, "a"), try Device(directory, "b"))
      try a.write("INSERT INTO album VALUES (1, 'Blue')")
      let published = try a.synchronize()
      #expect((published["published"] as? [String: Any])?["transactions"] as? Int == 1)
      let imported = try b.synchronize()
      let changes = (imported["imported"] as? [String: Any])?["changes"] as? [String: Any]
      #expect((changes?["album"] as? [String: Any])?["inserted"] as? [Int] == [1])
      #expect(try b.titles() == ["Blue"])
      let digests = try [a, b].map { device in
        try returned { tributary_digest(device.store, $0, $1) }
      }
      #expect(digests[0] == digests[1] && digests[0].utf8.count == 64)
      let status = try object(returned { tributary_status(b.store, $0, $1) })
      #expect(status["name"] as? String == "Library")
      #expect((status["peers"] as? [Any])?.count == 2)
    }
  }

  @Test func `a store that was opened by a relative path has that of the file from then on`() throws
  {
    try withTemporaryDirectory { directory in
      let device = try Device(directory, "a")
      let here = FileManager.default.currentDirectoryPath
      let way = here.split(separator: "/").map { _ in "../" }.joined() + device.path.dropFirst()
      var store: OpaquePointer?
      try made { tributary_open(way, nil, &store, $0) }
      defer { tributary_close(store) }
      let status = try object(returned { tributary_status(store, $0, $1) })
      #expect(status["store"] as? String == "\(here)/\(way)")
    }
  }

  @Test func `attaching says what it has done, and would do`() throws {
    try withTemporaryDirectory { directory in
      let path = directory + "/a.db"
      try Connection(path: path, mode: .create).execute("CREATE TABLE t (k INTEGER PRIMARY KEY)")
      func attach(_ more: String...) throws -> [String: Any] {
        try withWords(["container", directory, "name", "N"] + more) { options in
          try object(returned { tributary_attach(path, options, $0, $1) })
        }
      }
      // The container may not hold the store.
      let inside = #expect(throws: CallFailure.self) { try attach() }
      #expect(inside?.code == "storeInsideContainer")
      let shared = directory + "/shared"
      try FileManager.default.createDirectory(atPath: shared, withIntermediateDirectories: true)
      func attachOutside(_ more: String...) throws -> [String: Any] {
        try withWords(["container", shared, "name", "N"] + more) { options in
          try object(returned { tributary_attach(path, options, $0, $1) })
        }
      }
      #expect(try attachOutside("dry-run")["dryRun"] as? Bool == true)
      #expect(try attachOutside("capture", "triggers")["outcome"] as? String == "adopted")
      #expect(try attachOutside()["outcome"] as? String == "present")
      try made(with: ["remove-logs"]) { tributary_detach(path, $0, $1) }
      #expect(try attachOutside()["outcome"] as? String == "adopted")
    }
  }

  @Test func `an error has a code, a path and a remedy in the words of the command`() throws {
    try withTemporaryDirectory { directory in
      let path = directory + "/none.db"
      var store: OpaquePointer?
      let error = #expect(throws: CallFailure.self) {
        try made { tributary_open(path, nil, &store, $0) }
      }
      #expect(store == nil)
      #expect(error?.result == TRIBUTARY_FAILED)
      #expect(error?.code == "notAttached")
      #expect(error?.message == "there is no such database")
      #expect(error?.path == path)
      #expect(
        error?.remedy == "check the path, or run `tributary attach` to make it or have it rebuilt")
      #expect(error?.description == "\(path): \(error!.message); \(error!.remedy)")
      // Nobody has to ask for it.
      #expect(tributary_open(path, nil, &store, nil) == TRIBUTARY_FAILED)
    }
  }

  @Test func `what is wrong with a call is misuse that names the argument`() throws {
    try withTemporaryDirectory { directory in
      let device = try Device(directory, "a")
      func message(_ call: (ErrorPlace) -> CInt) -> String {
        var error: OpaquePointer?
        let failure = CallFailure(call(&error), error)
        #expect(failure?.result == TRIBUTARY_MISUSE)
        #expect(failure?.code == "misuse")
        return failure?.message ?? ""
      }
      var store: OpaquePointer?
      #expect(message { tributary_open(nil, nil, &store, $0) } == "the argument path is NULL")
      #expect(message { tributary_open("x", nil, nil, $0) } == "the argument store is NULL")
      let broken: [CChar] = [0x61, -1, 0]
      #expect(
        message { tributary_open(broken, nil, &store, $0) }
          == "the argument path is not valid UTF-8")
      #expect(message { tributary_sync(nil, nil, nil, $0) } == "the argument store is NULL")
      #expect(message { tributary_status(device.store, nil, $0) } == "the argument report is NULL")
      #expect(
        message { error in withWords(["seed"]) { tributary_sync(device.store, $0, nil, error) } }
          == "there is no option 'seed'; the options are reseed")
      #expect(
        message { error in
          withWords(["interval"]) { tributary_start(device.store, $0, error) }
        } == "the option 'interval' needs an argument after it: SECONDS")
      #expect(
        message { error in
          withWords(["interval", "x"]) { tributary_start(device.store, $0, error) }
        } == "--interval takes seconds from 0.001 to 86400, not 'x'")
      #expect(
        message { error in withWords(["name", "N"]) { tributary_attach("x", $0, nil, error) } }
          == "--container DIR is missing")
      #expect(
        message { tributary_resolve(device.store, "0", "perhaps", $0) }
          == "the resolution is 'perhaps'")
    }
  }

  @Test func `a store that was closed is recognised`() throws {
    try withTemporaryDirectory { directory in
      let device = try Device(directory, "a")
      let store = device.store
      device.close()
      var error: OpaquePointer?
      let failure = CallFailure(tributary_sync(store, nil, nil, &error), error)
      #expect(failure?.result == TRIBUTARY_MISUSE)
      #expect(failure?.message == "the store was closed, or is none")
      #expect(tributary_close(store) == TRIBUTARY_MISUSE)
      #expect(tributary_close(nil) == TRIBUTARY_OK)
    }
  }

  @Test func `without its container, a store reports the failure and works on`() throws {
    try withTemporaryDirectory { directory in
      let device = try Device(directory, "a")
      try device.write("INSERT INTO album VALUES (1, 'Blue')")
      try FileManager.default.moveItem(
        atPath: directory + "/shared", toPath: directory + "/elsewhere")
      var (report, error): (UnsafeMutablePointer<CChar>?, OpaquePointer?)
      let result = tributary_sync(device.store, nil, &report, &error)
      #expect(result == TRIBUTARY_FAILED)
      #expect(CallFailure(result, error)?.code == "absent")
      let text = try #require(report.map { String(cString: $0) })
      #expect(try object(text)["published"] != nil)
      tributary_free(report)
      let status = try object(returned { tributary_status(device.store, $0, $1) })
      #expect(status["unpublished"] as? Int == 1)
    }
  }

  @Test func `a damaged file is named, and the rest is imported`() throws {
    try withTemporaryDirectory { directory in
      let devices = try ["a", "b", "c"].map { try Device(directory, $0) }
      for (number, device) in devices.prefix(2).enumerated() {
        try device.write("INSERT INTO album VALUES (\(number), 'From \(number)')")
        try device.synchronize()
      }
      let status = try object(returned { tributary_status(devices[0].store, $0, $1) })
      let peer = try #require(status["peer"] as? String)
      let log = "\(directory)/shared/tributary/Library/peers/\(peer)/log"
      let name = try #require(try FileManager.default.contentsOfDirectory(atPath: log).first)
      var bytes = try Data(contentsOf: URL(filePath: "\(log)/\(name)"))
      bytes[bytes.count / 2] ^= 0xFF
      try bytes.write(to: URL(filePath: "\(log)/\(name)"))
      var error: OpaquePointer?
      let result = tributary_sync(devices[2].store, nil, nil, &error)
      let failure = CallFailure(result, error)
      #expect(result == TRIBUTARY_DAMAGE)
      #expect(failure?.code == "damaged")
      #expect(failure?.message.contains(name) == true)
      #expect(try devices[2].titles() == ["From 1"])
    }
  }

  @Test func `conflicts are listed and settled`() throws {
    try withTemporaryDirectory { directory in
      let (a, b) = (try Device(directory, "a"), try Device(directory, "b"))
      try a.write("INSERT INTO album VALUES (1, 'Blue')")
      try a.synchronize()
      try b.synchronize()
      try a.write("UPDATE album SET title = 'A'")
      awaitClockTick()
      try b.write("UPDATE album SET title = 'B'")
      for device in [a, b, a] { try device.synchronize() }
      func conflicts(_ options: [String] = []) throws -> [[String: Any]] {
        let text = try withWords(options) { options in
          try returned { tributary_conflicts(a.store, options, $0, $1) }
        }
        return try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [[String: Any]] ?? []
      }
      let conflict = try #require(try conflicts().first)
      let id = try #require(conflict["id"] as? String)
      #expect(conflict["table"] as? String == "album")
      for _ in 0..<2 { try made { tributary_resolve(a.store, id, "restore", $0) } }
      #expect(try conflicts().isEmpty)
      #expect(try conflicts(["all"]).count == 1)
      let unknown = #expect(throws: CallFailure.self) {
        try made { tributary_resolve(a.store, "0123456789abcdef", "keep", $0) }
      }
      #expect(unknown?.code == "unknownConflict")
    }
  }

  @Test func `the library says its version, and whose SQLite it uses`() {
    #expect(tributary_abi() == TRIBUTARY_ABI)
    #expect(String(cString: tributary_version()).split(separator: ".").count == 3)
    #expect(tributary_shares_sqlite(sqlite3_libversion()) == 1)
    // The same text, of another copy.
    let copy = strdup(sqlite3_libversion())
    #expect(tributary_shares_sqlite(copy) == 0)
    free(copy)
    tributary_free(nil)
    tributary_error_free(nil)
    #expect(String(cString: tributary_error_code(nil)) == "")
  }
}
