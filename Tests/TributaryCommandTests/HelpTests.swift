import Testing
import TributaryCommand

struct HelpTests {
  static let nodes = CommandNode.root.flattened

  private func words(_ node: CommandNode) -> [String] {
    node.syntax.path.split(separator: " ").map(String.init)
  }

  @Test func `the first release has these commands and no others`() {
    #expect(
      Self.nodes.map(\.syntax.path) == [
        "", "attach", "sql", "sync", "serve", "status", "digest", "verify", "rebuild", "detach",
        "baseline",
        "schema",
        "conflicts", "conflicts list", "conflicts show", "conflicts resolve", "peers",
        "peers list", "peers retire", "kv", "kv attach", "kv get", "kv set", "kv delete", "kv list",
        "log", "log list", "log show", "log stat", "log verify",
        "log follow", "log grep", "log blame", "log diff",
        "log replay", "log export", "log report", "document", "document create",
        "document open", "document list", "document move", "document delete", "document duplicate",
        "container", "container list", "container url",
        "container enable", "container disable", "container storage", "container delete", "doctor",
        "completions", "help",
      ])
  }

  @Test(arguments: nodes.map(\.syntax.path))
  func `every command says what it is`(path: String) throws {
    let node = try #require(Self.nodes.first { $0.syntax.path == path })
    let help = Invocation(words: words(node) + ["--help"])
    #expect(help.status == .done)
    #expect(help.errors.isEmpty)
    #expect(help.output.hasPrefix("Usage: \(node.syntax.name)"))
    for option in node.syntax.options {
      #expect(help.output.contains("  --\(option.long)") || help.output.contains("-\(option.long)"))
      #expect(!option.help.isEmpty)
    }
    for child in node.children { #expect(help.output.contains("\n  \(child.word) ")) }
    for line in help.output.split(separator: "\n") { #expect(line.count <= 80, "\(line)") }
    #expect(Invocation(words: words(node) + ["-h"]).output == help.output)
    #expect(Invocation(words: ["help"] + words(node)).output == help.output)
  }

  @Test func `the help of sync is this`() {
    #expect(
      Invocation("sync", "--help").output == """
        Usage: tributary sync STORE... [--watch] [--interval SECONDS] [--on-import CMD]
                         [--reseed] [--container-timeout SECONDS]
                         [--metrics FILE|unix:PATH] [--json]

        Publish what is unpublished and import what has arrived.

        With --json there is a line for each store; with --watch there is one for each
        publication or import. A damaged file is named and set aside, everything else is
        imported, and the exit status is 3. If CMD fails, that is reported and stops
        nothing; CMD runs again later for the same import, even after a crash. Its
        output goes to standard error.

        Options:
              --watch                      go on until SIGINT or SIGTERM
              --interval SECONDS           with --watch: how often to look where
                                           changes are not announced; 5 unless given
              --on-import CMD              run a shell command after each import, with
                                           the JSON of --json on its standard input,
                                           until it succeeds
              --reseed                     publish again what is not in the container
                                           as it was written, or everything where it
                                           was wiped or replaced
              --container-timeout SECONDS  after how long a container that does not
                                           answer counts as away; 30 unless given
              --metrics FILE|unix:PATH     with --watch: write the metrics there for
                                           Prometheus, or serve them on a socket
              --json                       one JSON object a line
          -q, --quiet                      no progress and no confirmation, only
                                           results and errors
          -h, --help                       print this help and do nothing else

        """)
  }

  @Test func `no two options of a command share a name`() {
    for node in Self.nodes {
      let options = node.syntax.options
      #expect(Set(options.map(\.long)).count == options.count)
      #expect(Set(options.compactMap(\.short)).count == options.compactMap(\.short).count)
    }
  }

  @Test func `the version is a version`() {
    let version = Invocation("--version")
    #expect(version.status == .done)
    #expect(version.output == "tributary \(Version.text)\n")
    #expect(version.output.wholeMatch(of: /tributary \d+\.\d+\.\d+\n/) != nil)
  }
}
