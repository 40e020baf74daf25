import Foundation
import Testing
import TributaryCommand
import TributaryTesting

/// What the commands say of stores that have forgotten, and of what is left of their logs.
struct ForgottenHistoryTests {
  @Test func `what a baseline stands for is neither missing nor different`() throws {
    try withForgetfulStores { stores in
      let verified = Invocation("log", "verify", stores.container)
      #expect(verified.status == .done)
      let baseline = stores.files(".lz4", in: "baseline")
      #expect(baseline.count == 2)
      #expect(
        baseline.contains {
          verified.lines[0].hasPrefix("history begins with \($0): 6 transactions up to ")
        })
      #expect(
        Array(verified.lines.dropFirst()) == ["2 peers, 4 segments, 4 transactions: no damage"])
      let damages = Invocation("log", "verify", "--json", stores.container)
      #expect(damages.status == .done && damages.output.isEmpty)
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
}
