import Testing
import TributaryCommand

struct UsageTests {
  private static let wrong: [(words: [String], problem: String)] = [
    ([], "tributary: COMMAND is missing"),
    (["--"], "tributary: COMMAND is missing"),
    ([""], "tributary: unknown command ''"),
    (["nope"], "tributary: unknown command 'nope'"),
    (["a\nb\u{1B}"], #"tributary: unknown command 'a\nb\x1b'"#),
    (["--nope"], "tributary: unknown option '--nope'"),
    (["--json", "status", "x"], "tributary: unknown option '--json'"),
    (["log"], "tributary log: COMMAND is missing"),
    (["log", "nope"], "tributary log: unknown command 'nope'"),
    (["log", "list"], "tributary log list: PATH is missing"),
    (["log", "list", ""], "tributary log list: PATH is empty"),
    (["log", "show", "x", "--peer", "xyz"], "tributary log show: --peer takes 1 to 32 hex"),
    (["log", "show", "x", "--peer", ""], "tributary log show: --peer takes 1 to 32 hex"),
    (["log", "show", "x", "--from", "-1"], "tributary log show: --from takes a sequence"),
    (["log", "show", "x", "--to", "9223372036854775808"], "tributary log show: --to takes a seq"),
    (["log", "show", "x", "--from", "3", "--to", "2"], "tributary log show: --from is after --to"),
    (["log", "show", "x", "--since", "yesterday"], "tributary log show: --since takes a time"),
    (["log", "show", "x", "--since", "2", "--until", "1"], "tributary log show: --since is after"),
    (["log", "stat", "x", "--by", "hour"], "tributary log stat: --by takes peer, table and day"),
    (["log", "stat", "x", "--by", "day,day"], "tributary log stat: --by names day twice"),
    (["log", "grep", "a"], "tributary log grep: PATH is missing"),
    (["log", "grep", "a(", "x"], "tributary log grep: PATTERN 'a(': Unmatched ( or"),
    (["log", "grep", "a", "x", "--value", "-F"], "tributary log grep: --value and --fixed-str"),
    (["log", "grep", "x'0'", "x", "--value"], "tributary log grep: x'0' is not a blob"),
    (["log", "follow", "x", "--lines", "-1"], "tributary log follow: --lines takes a number"),
    (["log", "follow", "x", "--interval", "0"], "tributary log follow: --interval takes seconds"),
    (["log", "export", "x", "--format", "csv"], "tributary log export: --format takes sql or"),
    (["log", "export", "x", "--format", "json", "--schema"], "tributary log export: --schema is"),
    (["log", "report"], "tributary log report: PATH is missing"),
    (["log", "report", "x", "-o", ""], "tributary log report: the argument of --output is empty"),
    (["help", "nope"], "tributary help: unknown command 'nope'"),
    (["help", "log", "nope"], "tributary help: unknown command 'nope'"),
    (["help", "sync", "more"], "tributary help: unknown command 'more'"),
    (["completions"], "tributary completions: SHELL is missing"),
    (["completions", "tcsh"], "tributary completions: unknown shell 'tcsh', known are bash, zsh"),
    (["attach"], "tributary attach: STORE is missing"),
    (["attach", "x"], "tributary attach: --container DIR is missing"),
    (["attach", "x", "--container", "c"], "tributary attach: --name NAME is missing"),
    (["attach", "x", "--container", "", "--name", "n"], "tributary attach: the argument of --con"),
    (
      ["attach", "x", "--con", "c", "--name", "n"], "tributary attach: option '--con' is ambiguous"
    ),
    (
      ["attach", "x", "--container", "c", "--name", "n", "--tables", "a", "--except", "b"],
      "tributary attach: --tables and --except exclude each other"
    ),
    (
      ["attach", "x", "--container", "c", "--name", "n", "--tables", "a,,b"],
      "tributary attach: --tables has an empty name"
    ),
    (
      ["attach", "x", "y", "--container", "c", "--name", "n"],
      "tributary attach: unexpected argument 'y'"
    ),
    (
      ["attach", "x", "--container", "c", "--name", "n", "--merge", "t=rows"],
      "tributary attach: 't=rows' is not what --merge takes: TABLE=row|column"
    ),
    (
      [
        "attach", "x", "--container", "c", "--name", "n", "--merge", "t=row", "--merge", "T=column",
      ],
      "tributary attach: there are two different declarations for T"
    ),
    (
      ["attach", "x", "--container", "c", "--name", "n", "--policy", "t=max"],
      "tributary attach: 't=max' is not what --policy takes: TABLE.COLUMN=counter|max|min"
    ),
    (
      ["attach", "x", "--container", "c", "--name", "n", "--policy", "t.a=latest"],
      "tributary attach: 't.a=latest' is not what"
    ),
    (
      [
        "attach", "x", "--container", "c", "--name", "n", "--policy", "t.a=max", "--policy",
        "T.A=min",
      ],
      "tributary attach: there are two different declarations for T.A"
    ),
    (
      ["attach", "x", "--container", "c", "--name", "n", "--natural-keys", ""],
      "tributary attach: '' is not what --natural-keys takes: TABLE"
    ),
    (["sql", "x", "SELECT 1", "--based-on", "1"], "tributary sql: '1' is no version"),
    (["sql"], "tributary sql: STORE is missing"),
    (["sql", "x"], "tributary sql: SQL is missing, and standard input is a terminal"),
    (["sql", "x", "SELECT 1", "--file", "f"], "tributary sql: SQL and --file exclude each other"),
    (["sql", "x", "SELECT 1", "--json", "--csv"], "tributary sql: --json and --csv exclude"),
    (["sql", "x", "SELECT 1", "more"], "tributary sql: unexpected argument 'more'"),
    (["sql", "x", "SELECT ?", "--param", "x'0'"], "tributary sql: x'0' is not a blob"),
    (["sql", "x", "SELECT ?", "--param", "'it's'"], "tributary sql: in 'it's', a quote inside"),
    (["sync"], "tributary sync: STORE is missing"),
    (["sync", "x", ""], "tributary sync: STORE is empty"),
    (["sync", "x", "--interval"], "tributary sync: option '--interval' needs an argument"),
    (["sync", "x", "--interval", "0"], "tributary sync: --interval takes seconds"),
    (["sync", "x", "--interval", "nan"], "tributary sync: --interval takes seconds"),
    (["sync", "x", "--interval", "1e9"], "tributary sync: --interval takes seconds"),
    (["sync", "x", "--on-import", ""], "tributary sync: the argument of --on-import is empty"),
    (["status"], "tributary status: STORE is missing"),
    (["status", "x", "y"], "tributary status: unexpected argument 'y'"),
    (["digest", "--json"], "tributary digest: STORE is missing"),
    (["verify", "x", "--json"], "tributary verify: unknown option '--json'"),
    (["rebuild"], "tributary rebuild: STORE is missing"),
    (["conflicts"], "tributary conflicts: COMMAND is missing"),
    (["conflicts", "list"], "tributary conflicts list: STORE is missing"),
    (["conflicts", "show", "x"], "tributary conflicts show: ID is missing"),
    (["conflicts", "resolve", "x", "i"], "tributary conflicts resolve: --keep or --restore is"),
    (
      ["conflicts", "resolve", "x", "i", "--keep", "--restore"],
      "tributary conflicts resolve: --keep and --restore exclude each other"
    ),
    (["detach", "x", "--remove-logs=yes"], "tributary detach: option '--remove-logs' takes no"),
  ]

  @Test(arguments: wrong)
  func `a wrong command line is answered with the problem and the usage`(
    words: [String], problem: String
  ) {
    let run = Invocation(words: words)
    #expect(run.status == .usage)
    #expect(run.output.isEmpty)
    #expect(run.errors.hasPrefix(problem), "\(run.errors)")
    #expect(run.errors.contains("\nUsage: tributary"))
  }

  @Test(arguments: [
    "documents", "carrier",
  ])
  func `what does not exist is unknown`(word: String) {
    let run = Invocation(word, "list", "x")
    #expect(run.status == .usage)
    #expect(run.errors.hasPrefix("tributary: unknown command '\(word)'\nUsage:"))
    #expect(!Invocation("--help").output.contains("\n  \(word) "))
  }

  @Test(arguments: [
    ["status"], ["digest"], ["verify"], ["rebuild"], ["detach"], ["sync"], ["sql", "SELECT 1"],
  ])
  func `a store that is missing is one line`(words: [String]) throws {
    let run = Invocation(words: [words[0], "/nowhere/store.db"] + words.dropFirst())
    #expect(run.status == .failed)
    #expect(run.output.isEmpty)
    #expect(run.errors.hasPrefix("tributary: "))
    #expect(run.errors.contains("/nowhere/store.db") && run.errors.contains(";"))
    #expect(run.errors.filter { $0 == "\n" }.count == 1)
  }
}
