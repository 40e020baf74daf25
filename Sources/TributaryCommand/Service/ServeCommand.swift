import TributarySync

/// `tributary serve`: keeps the stores that a file names synchronised.
struct ServeCommand: Command {
  private static let configuration = CommandOption(
    "config", argument: "FILE", kind: .file, isRequired: true,
    help: "what to serve, as JSON; SIGHUP makes the service read it again")
  private static let metrics = CommandOption(
    "metrics", argument: "FILE|unix:PATH", kind: .file,
    help: "write the metrics there for Prometheus, or serve them on a socket")
  private static let page = CommandOption(
    "page", argument: "ADDRESS",
    help: "show the stores to browsers there: a port of this machine, or HOST:PORT")
  private static let pageToken = CommandOption(
    "page-token", argument: "FILE", kind: .file,
    help:
      "a file with a token: browsers elsewhere that give it see the page and may settle conflicts")
  private static let log = CommandOption(
    "log", argument: "FORM", kind: .choice(ServiceLog.Form.allCases.map(\.rawValue)),
    help: "the form of the lines on standard error: logfmt or json")
  private static let check = CommandOption(
    "check", help: "read the configuration, print the stores, and do nothing else")

  static let syntax = Syntax(
    "serve", summary: "keep many stores synchronised, as a file says, until SIGINT or SIGTERM",
    options: [configuration, metrics, page, pageToken, log, check],
    details: """
      FILE is an object like { "stores": ["/srv/a.db", "/srv/more/*.db"] }.
      "interval", "containerTimeout" (seconds) and "onImport" (a shell command) beside
      "stores" apply to all of them, and in { "path": "/srv/a.db", "interval": 1 } to
      that one. A store that cannot be used does not stop the others, and is tried
      again. The service may open as many files as the hard limit allows (`ulimit
      -Hn`). Every event is a line on standard error; with --check, the paths of the
      stores are lines on standard output.

      The page of --page shows stores, peers, sizes, findings, conflicts and the time
      line of the logs. Without a token it is for browsers on this machine, and
      changes nothing. It needs libmicrohttpd.
      """)

  /// Whether a command line names this command, no matter what is wrong with the rest.
  static func isMeant(by words: [String]) -> Bool {
    words.first { !$0.hasPrefix("-") } == "serve"
  }

  private let path: String
  private let options: Service.Options
  private let checks: Bool

  init(_ arguments: Arguments) throws(UsageError) {
    guard let path = try arguments.nonempty(Self.configuration) else {
      throw UsageError("--config FILE is missing")
    }
    self.path = path
    checks = arguments.has(Self.check)
    var options = Service.Options()
    options.metrics = try MetricsTarget.read(arguments, Self.metrics)
    if let text = try arguments.nonempty(Self.page) {
      do { options.page = try PageAddress(text) } catch { throw UsageError(error.description) }
    }
    options.pageToken = try arguments.nonempty(Self.pageToken)
    if let form = arguments[Self.log] {
      guard let form = ServiceLog.Form(rawValue: form) else {
        throw UsageError("--log takes logfmt or json, not '\(form)'")
      }
      options.log = form
    }
    self.options = options
  }

  func run(to output: Output) throws -> ExitStatus {
    guard checks else { return try Service(path, options, output: output).run() }
    let configuration = try ConfigurationReader.read(path)
    try (options.metrics ?? configuration.metrics)?.check(
      stores: configuration.stores.map(\.path), configuration: path)
    _ = try options.place(of: configuration)?.token()
    for store in configuration.stores { try output.line(output.shown(store.path)) }
    for path in configuration.passedOver { output.note("\(path) is not a store, and is skipped") }
    for pattern in configuration.unmatched { output.note(ConfigurationReader.warning(of: pattern)) }
    return .done
  }
}
