import Foundation
import Testing
import TributaryCommand
import TributarySQLite
import TributarySimulation
import TributaryTesting

/// Stores that have to come back, and whose tables cannot be compared any more with the logs that the others have
/// forgotten.
struct ForgottenReturnTests {
  private func rows(_ stores: ForgetfulStores, _ name: String) -> [String] {
    Invocation("sql", stores.path(name), "SELECT id || ' ' || text FROM notes ORDER BY id").lines
  }

  /// The values that have lost, on one device.
  private func lost(_ stores: ForgetfulStores, _ name: String) -> String {
    Invocation("conflicts", "list", stores.path(name)).output
      .replacingOccurrences(of: stores.path(name), with: "")
  }

  private func expectSame(_ stores: ForgetfulStores) throws {
    #expect(rows(stores, "a") == rows(stores, "b"))
    for name in ForgetfulStores.names {
      let path = stores.path(name)
      #expect(Invocation("sync", path).status == .done)
      #expect(Invocation("verify", path).output.contains("no difference"))
      #expect(Invocation("doctor", path).lines.first == "Nothing found.")
    }
  }

  /// Has the devices agree on another horizon twice, so that nothing is left of what came before.
  private func forgetMore(_ stores: ForgetfulStores, _ names: [String]) throws {
    for text in ["later", "latest"] {
      try stores.write("UPDATE notes SET text = '\(text)' WHERE id = 3", on: names[0])
      try stores.forget(names)
    }
    try stores.write("UPDATE notes SET text = 'beyond' WHERE id = 3", on: names[0])
  }

  /// Has what programs write into the other store be captured.
  private func capture(_ stores: ForgetfulStores) {
    let run = Invocation(
      "attach", stores.path("b"), "--container", stores.container, "--name", "Library", "--capture",
      "triggers")
    #expect(run.status == .done)
  }

  @Test(arguments: [false, true], [false, true])
  func `a store that was restored from a backup older than the horizon comes back`(
    isWritten: Bool, isCaptured: Bool
  ) throws {
    try withForgetfulStores { stores in
      let (path, backup) = (stores.path("b"), stores.directory + "/backup")
      if isCaptured { capture(stores) }
      try FileManager.default.copyItem(atPath: path, toPath: backup)
      try forgetMore(stores, ["a", "b"])
      // The log is there only if something still has the store open.
      for end in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: path + end) }
      try FileManager.default.copyItem(atPath: backup, toPath: path)
      if isWritten {
        let write = "UPDATE notes SET text = 'restored' WHERE id IN (1, 20)"
        #expect(Invocation("sql", path, write).status == .done)
      }
      try stores.synchronize(["b", "a"], forgetting: true, rounds: 3)
      try expectSame(stores)
      #expect(rows(stores, "b").contains("3 beyond"))
      let everything = rows(stores, "b").joined() + lost(stores, "b")
      #expect(everything.contains("restored") == isWritten)
      #expect(lost(stores, "a") == lost(stores, "b"))
      let digests = ForgetfulStores.names.map { Invocation("digest", stores.path($0)).output }
      #expect(digests[0] == digests[1])
    }
  }

  @Test
  func `what a program has written into a store without triggers is visible or in a conflict`()
    throws
  {
    try withForgetfulStores { stores in
      let path = stores.path("b")
      let status = Invocation("status", "--json", path).output
      let peer = try #require(status.firstMatch(of: /"peer":"([0-9a-f]{32})"/)?.1)
      #expect(Invocation("peers", "retire", stores.path("a"), String(peer)).status == .done)
      try forgetMore(stores, ["a"])
      let connection = try Connection(path: path, mode: .readWrite)
      try connection.execute(
        "UPDATE notes SET text = 'by a program' WHERE id = 12; INSERT INTO notes VALUES (30, 'added')"
      )
      connection.close()
      let first = Invocation("sync", path)
      #expect(first.status == .failed)
      #expect(first.errors.contains("nothing needs to be done: after a day"))
      try stores.synchronize(["b", "a"], forgetting: true, rounds: 3)
      try expectSame(stores)
      let everything = rows(stores, "a").joined() + lost(stores, "a")
      #expect(everything.contains("by a program") && everything.contains("added"))
      #expect(lost(stores, "a") == lost(stores, "b"))
    }
  }

  @Test(arguments: [
    "VACUUM", "ANALYZE", "CREATE INDEX texts ON notes (text)",
    "PRAGMA user_version = 7",
  ])
  func `a device that was left out comes back after a program has written what nothing captures`(
    script: String
  ) throws {
    try withForgetfulStores { stores in
      let path = stores.path("b")
      capture(stores)
      let status = Invocation("status", "--json", path).output
      let peer = try #require(status.firstMatch(of: /"peer":"([0-9a-f]{32})"/)?.1)
      #expect(Invocation("peers", "retire", stores.path("a"), String(peer)).status == .done)
      try forgetMore(stores, ["a"])
      let connection = try Connection(path: path, mode: .readWrite)
      try connection.execute("UPDATE notes SET text = 'by a program' WHERE id = 12")
      try connection.execute(script)
      connection.close()
      try stores.synchronize(["b", "a"], forgetting: true, rounds: 3)
      try expectSame(stores)
      #expect(rows(stores, "b").contains("3 beyond"))
      #expect((rows(stores, "b").joined() + lost(stores, "b")).contains("by a program"))
      #expect(lost(stores, "a") == lost(stores, "b"))
    }
  }
}
