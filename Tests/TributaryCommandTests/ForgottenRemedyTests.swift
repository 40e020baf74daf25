import Foundation
import Testing
import TributaryCommand
import TributarySimulation
import TributaryTesting

/// What `doctor` finds where devices have forgotten, and that its remedies mend it.
struct ForgottenRemedyTests {
  /// What `doctor` says of a store or the container, without the sizes.
  private func findings(_ path: String) -> [String] {
    let run = Invocation("doctor", path)
    let lines = run.lines.filter { !$0.hasPrefix("disk use: ") }
    let isSound = lines == ["Nothing found."]
    #expect(run.status == (isSound ? .done : .damage), "\(run.errors)")
    return isSound ? [] : lines
  }

  private func expectSound(_ stores: ForgetfulStores) {
    for path in [stores.path("a"), stores.path("b"), stores.container] {
      #expect(findings(path) == [])
    }
  }

  /// The peer of a store.
  private func peer(_ name: String, _ stores: ForgetfulStores) throws -> String {
    let data = Data(Invocation("status", "--json", stores.path(name)).output.utf8)
    let status = try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
    return try #require(status["peer"] as? String)
  }

  @Test(arguments: [ForgetfulStores.Loss.cut, .beheaded])
  func `one damaged baseline is replaced by the device that wrote it`(
    loss: ForgetfulStores.Loss
  ) throws {
    try withForgetfulStores { stores in
      let damaged = try #require(try stores.baselines.first { $0.contains(try peer("a", stores)) })
      try stores.lose([damaged], loss)
      let expected: [(path: String, remedy: String)] = [
        (
          stores.path("a"),
          "; run `tributary sync`, which writes another one if it is needed, or `tributary baseline`, which replaces it"
        ),
        (
          stores.path("b"),
          "; wait for the carrier; if the file is damaged where it was written, run `tributary sync` there, or "
            + "`tributary baseline`, which replaces it"
        ),
      ]
      for (path, remedy) in expected {
        let found = findings(path)
        #expect(found.count == 1)
        #expect(found[0].hasPrefix("warning: \(damaged) is damaged or has not arrived whole: "))
        #expect(found[0].hasSuffix(": new devices begin with another one" + remedy))
      }
      // The first one says what it has found.
      _ = Invocation("sync", stores.path("a"))
      #expect(Invocation("sync", stores.path("a")).status == .done)
      expectSound(stores)
    }
  }

  @Test func `a damaged baseline of a device that is gone can be deleted`() throws {
    try withForgetfulStores { stores in
      let gone = try peer("b", stores)
      #expect(Invocation("peers", "retire", stores.path("a"), gone).status == .done)
      let damaged = try #require(stores.baselines.first { $0.contains(gone) })
      try stores.lose([damaged], .cut)
      let found = findings(stores.path("a"))
      #expect(found.count == 1)
      #expect(found[0].hasSuffix("; wait for the carrier, or delete the file"), "\(found)")
      try stores.lose([damaged], .gone)
      #expect(findings(stores.path("a")) == [])
    }
  }

  @Test(arguments: ForgetfulStores.Loss.allCases)
  func `where no whole baseline is left, the devices make a later one`(
    loss: ForgetfulStores.Loss
  ) throws {
    try withForgetfulStores { stores in
      try stores.lose(stores.baselines, loss)
      for path in [stores.path("a"), stores.path("b"), stores.container] {
        let found = findings(path)
        // The transactions that are missing are not told besides: nobody can publish them again.
        #expect(found.count == (loss == .gone ? 1 : 3), "\(found)")
        #expect(found.last?.contains("no whole baseline here has it: transactions 1 to 2") == true)
        #expect(
          found.allSatisfy { $0.contains("run `tributary baseline` on one that has the data") })
      }
      let json = Invocation("doctor", "--json", stores.container)
      for line in json.lines { try JSONSchema(named: "doctor").check(line) }
      #expect(
        json.lines.last?.contains(#""finding":"baseline-missing","severity":"warning""#) == true)
      #expect(Invocation("verify", stores.path("a")).errors.contains("run `tributary baseline`"))
      let proposed = Invocation("baseline", stores.path("a"))
      #expect(proposed.status == .failed)
      #expect(proposed.errors.contains("; run `tributary sync` on the other devices, then here"))
      // In the end, the other one replaces its own file, too.
      for name in ["b", "a", "b"] { #expect(Invocation("sync", stores.path(name)).status == .done) }
      expectSound(stores)
      for name in ["a", "b"] { #expect(Invocation("verify", stores.path(name)).status == .done) }
    }
  }

  @Test func `a device that begins without a baseline says what it waits for`() throws {
    try withForgetfulStores { stores in
      try stores.lose(stores.baselines, .gone)
      let attached = Invocation(
        "attach", stores.path("c"), "--container", stores.container, "--name", "Library")
      #expect(attached.status == .done)
      let found = findings(stores.path("c"))
      #expect(found.count == 3)
      #expect(found.allSatisfy { $0.contains("the devices have forgotten what came first") })
      #expect(found.allSatisfy { $0.contains("run `tributary baseline` on one that has the data") })
      // Otherwise, the new device would be waited for.
      #expect(Invocation("baseline", stores.path("a")).status == .failed)
      for name in ["b", "a", "c", "a", "b"] {
        _ = Invocation("sync", "--reseed", stores.path(name))
      }
      expectSound(stores)
      #expect(findings(stores.path("c")) == [])
      #expect(Invocation("verify", stores.path("c")).output.contains("no difference"))
    }
  }

  @Test(arguments: [false, true], [ForgetfulStores.Loss.cut, .gone])
  func `a segment that lies beneath the horizon is published again while its author has it`(
    isNewest: Bool, loss: ForgetfulStores.Loss
  ) throws {
    try withForgetfulStores { stores in
      // Then everything is forgotten, and the newest segment is kept all the same.
      if isNewest { try stores.forget() }
      let own = try peer("a", stores)
      let segment = try #require(stores.files(".lz4", in: "log").first { $0.contains(own) })
      try stores.lose([segment], loss)
      let found = findings(stores.path("a"))
      let remedy = loss == .gone ? "; run `tributary sync`, " : "; run `tributary sync --reseed`: "
      #expect(found.count == 1 && found[0].contains(remedy), "\(found)")
      #expect(Invocation("sync", "--reseed", stores.path("a")).status == .done)
      expectSound(stores)
    }
  }

  @Test func `what a lost device has written is missing only as far as no baseline has it`() throws
  {
    try withForgetfulStores { stores in
      let gone = try peer("b", stores)
      #expect(Invocation("peers", "retire", stores.path("a"), gone).status == .done)
      let directory = try #require(stores.baselines.first { $0.contains(gone) })
      try FileManager.default.removeItem(
        at: URL(filePath: directory).deletingLastPathComponent().deletingLastPathComponent())
      let found = findings(stores.path("a"))
      #expect(found.count == 1)
      #expect(found[0].contains("not delivered 1 transaction of "), "\(found)")
      #expect(found[0].contains(": here they end with 3, and this store has them up to 4; "))
      #expect(found[0].contains("`tributary sync --reseed` at once"))
      #expect(Invocation("sync", "--reseed", stores.path("a")).status == .done)
      for path in [stores.path("a"), stores.container] { #expect(findings(path) == []) }
    }
  }
}
