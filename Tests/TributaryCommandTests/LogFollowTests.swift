import Foundation
import Glibc
import Testing
import TributaryCommand
import TributaryCore
import TributaryTesting

struct LogFollowTests {
  private typealias Transaction = LogFixture.Transaction
  private let alice = LogFixture.alice
  private let bob = LogFixture.bob

  @Test(arguments: [SIGINT, SIGTERM])
  func `following goes on until a signal, also where nothing is yet`(signal: Int32) throws {
    try withLogs { logs in
      try FileManager.default.createDirectory(
        atPath: logs.container, withIntermediateDirectories: true)
      let follow = try CommandProcess(
        ["log", "follow", logs.container, "--json", "--interval", "0.1"])
      try logs.write([Transaction(1)])
      #expect(follow.nextLine()?.contains(#""sequence":1,"#) == true)
      let small = try logs.write([Transaction(2)])
      let line = try #require(follow.nextLine())
      #expect(line.contains(#""sequence":2,"#))
      try JSONSchema(named: "log-follow").check(line)
      try logs.write([Transaction(1), Transaction(2)])
      try FileManager.default.removeItem(atPath: small)
      try logs.write([Transaction(1, knows: [alice: 3])], by: bob)
      let waiting = "tributary: transaction 1 of \(bob) waits for transaction 3 of \(alice)"
      while let line = follow.nextErrorLine(), line != waiting {}
      try logs.write([Transaction(3)])
      #expect(follow.nextLine()?.contains(#""sequence":3,"#) == true)
      #expect(follow.nextLine()?.contains("\(bob)") == true)
      follow.send(signal)
      let end = try follow.finish()
      #expect(end.status == 0)
      #expect(end.rest.isEmpty && end.errors.isEmpty, "\(end)")
    }
  }

  @Test func `following ends when nobody reads any more`() throws {
    try withLogs { logs in
      try logs.write([Transaction(1)])
      let shell = try Shell(
        #""$0" log follow "$1" --interval 0.1 | head -n 1; echo "${PIPESTATUS[0]}""#,
        try CommandProcess.path, logs.container)
      // It notices when it has something to print.
      var sequence: UInt64 = 1
      try eventually {
        sequence += 1
        try logs.write([Transaction(sequence)])
        return !shell.isRunning
      }
      #expect(try shell.finish().output.hasSuffix("\n141\n"))
    }
  }

  @Test func `a path that does not exist is one line`() {
    let run = Invocation("log", "follow", "/nowhere")
    #expect(run.status == .failed)
    #expect(run.errors == "tributary: no such file or directory: /nowhere; check the path\n")
  }
}
