import Foundation
import Testing
import TributaryCommand

struct CompletionTests {
  @Test(arguments: ["bash", "zsh", "fish"])
  func `every command and option is in the script`(shell: String) {
    let run = Invocation("completions", shell)
    #expect(run.status == .done)
    for node in CommandNode.root.flattened {
      if !node.syntax.path.isEmpty { #expect(run.output.contains(node.word)) }
      for option in node.syntax.options {
        #expect(run.output.contains((shell == "fish" ? "-l " : "--") + option.long))
      }
    }
  }

  @Test(arguments: [
    ("tributary ", ["attach", "completions", "log"]), ("tributary lo", ["log"]),
    ("tributary log ", ["list", "show", "stat", "verify", "follow", "grep"]),
    ("tributary log export --format ", ["sql", "json"]),
    ("tributary log show --", ["--peer", "--json"]),
    ("tributary sync --re", ["--reseed"]), ("tributary completions ", ["bash", "fish", "zsh"]),
    ("tributary --ver", ["--version"]), ("tributary -q sync --on", ["--on-import"]),
    ("tributary sync store.db --wa", ["--watch"]),
  ])
  func `bash completes`(line: String, expected: [String]) throws {
    let replies = try complete(line)
    for word in expected { #expect(replies.contains(word), "\(replies)") }
  }

  @Test func `bash offers files for a store and directories for a container`() throws {
    #expect(try complete("tributary status /etc/pass").contains("/etc/passwd"))
    let directories = try complete("tributary attach --container /et")
    #expect(directories == ["/etc"])
    #expect(try complete("tributary attach --name ").isEmpty)
  }

  /// What bash offers at the end of a line.
  private func complete(_ line: String) throws -> [String] {
    let script = """
      source /dev/stdin
      compopt() { :; }
      COMP_WORDS=("${@}")
      COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
      _tributary
      printf '%s\\n' "${COMPREPLY[@]}"
      """
    let bash = Process()
    bash.executableURL = URL(filePath: "/bin/bash")
    bash.arguments =
      ["-c", script, "bash"]
      + line.split(separator: " ", omittingEmptySubsequences: false).map(String.init)
    let (input, output) = (Pipe(), Pipe())
    bash.standardInput = input
    bash.standardOutput = output
    try bash.run()
    try input.fileHandleForWriting.write(
      contentsOf: Data(Invocation("completions", "bash").output.utf8))
    try input.fileHandleForWriting.close()
    let replies = try output.fileHandleForReading.readToEnd() ?? Data()
    bash.waitUntilExit()
    return String(decoding: replies, as: UTF8.self).split(separator: "\n").map(String.init)
  }
}
