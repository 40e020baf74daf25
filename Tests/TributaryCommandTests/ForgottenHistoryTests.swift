import Foundation
import Testing
import TributaryCommand
import TributarySimulation
import TributaryTesting

/// What the commands say of stores that have forgotten, and of what is left of their logs.
struct ForgottenHistoryTests {
  @Test func `what a baseline stands for is neither missing nor different`() throws {
    try withForgetfulStores { stores in
      let verified = Invocation("log", "verify", stores.container)
      #expect(verified.status == .done)
      #expect(stores.baselines.count == 2)
      #expect(
        stores.baselines.contains {
          verified.lines[0].hasPrefix("history begins with \($0): 6 transactions up to ")
        })
      #expect(
        Array(verified.lines.dropFirst()) == ["2 peers, 4 segments, 4 transactions: no damage"])
      for name in ["a", "b"] {
        let path = stores.path(name)
        #expect(
          Invocation("verify", path).output == "\(path): 8 transactions replayed, no difference\n")
        #expect(Invocation("doctor", path).lines.first == "Nothing found.")
        #expect(Invocation("rebuild", path).output == "\(path): rebuilt from 8 transactions\n")
      }
      let blame = Invocation(
        "log", "blame", stores.container, "--table", "notes", "--key", "2")
      #expect(blame.status == .done)
      #expect(blame.output.contains("before the horizon"))
    }
  }

  @Test func `without a whole baseline, a replay says what it needs, and changes nothing`() throws {
    try withForgetfulStores { stores in
      let path = stores.path("a")
      let baselines = stores.baselines
      for (number, baseline) in baselines.enumerated() {
        let bytes = try Data(contentsOf: URL(filePath: baseline))
        try bytes.dropLast(9).write(to: URL(filePath: baseline))
        for command in ["verify", "rebuild"] {
          let run = Invocation(command, path)
          // One is enough.
          guard number + 1 == baselines.count else {
            #expect(run.status == .done)
            continue
          }
          #expect(run.status != .done)
          #expect(
            run.errors.contains(
              "the container has no whole baseline that stands for the 6 transactions which the "
                + "store has forgotten; "))
        }
      }
      #expect(Invocation("sql", path, "SELECT count(*) FROM notes").output.contains("7"))
    }
  }

  @Test func `status says that the newest segment stays when all the others are gone`() throws {
    try withForgetfulStores { stores in
      try stores.forget()
      let status = Invocation("status", stores.path("a")).output
      #expect(
        status.contains(
          /0 bytes of own log and records can go when baselines have them; the newest segment and its records, [0-9]+ bytes, stay\n/
        ), "\(status)")
      let json = Invocation("status", "--json", stores.path("a"))
      try JSONSchema(named: "status").check(json.lines[0])
      #expect(json.output.contains(#""reclaimable":0,"kept":"#))
    }
  }
}
