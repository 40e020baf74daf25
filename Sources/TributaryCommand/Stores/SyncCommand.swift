import TributaryFiles
import TributarySync

/// `tributary sync`: publishes and imports, once or until it is stopped.
struct SyncCommand: Command {
  private static let watch = CommandOption(
    "watch", help: "go on until SIGINT or SIGTERM")
  private static let interval = CommandOption(
    "interval", argument: "SECONDS",
    help: "with --watch: how often to look where changes are not announced; 5 unless given")
  private static let onImport = CommandOption(
    "on-import", argument: "CMD",
    help:
      "run a shell command after each import, with the JSON of --json on its standard input, until it "
      + "succeeds")
  private static let reseed = CommandOption(
    "reseed",
    help:
      "publish again what is not in the container as it was written, or everything where it was "
      + "wiped or replaced")

  private static let containerLimit = CommandOption(
    "container-timeout", argument: "SECONDS",
    help: "after how long a container that does not answer counts as away; 30 unless given")

  private static let metrics = CommandOption(
    "metrics", argument: "FILE|unix:PATH",
    help: "with --watch: write the metrics there for Prometheus, or serve them on a socket")

  static let syntax = Syntax(
    "sync", summary: "publish what is unpublished and import what has arrived",
    operands: [.stores],
    options: [watch, interval, onImport, reseed, containerLimit, metrics, .json],
    details: """
      With --json there is a line for each store; with --watch there is one for each
      publication or import. A damaged file is named and set aside, everything else is
      imported, and the exit status is 3. If CMD fails, that is reported and stops
      nothing; CMD runs again later for the same import, even after a crash. Its
      output goes to standard error.
      """)

  private let stores: [String]
  private let watches: Bool
  private let intervalMilliseconds: Int
  private let onImport: String?
  private let reseeds: Bool
  private let limitMilliseconds: Int
  private let metrics: MetricsTarget?
  private let printsJSON: Bool

  init(_ arguments: Arguments) throws(UsageError) {
    stores = arguments.operands
    watches = arguments.has(Self.watch)
    reseeds = arguments.has(Self.reseed)
    printsJSON = arguments.has(.json)
    onImport = try arguments.nonempty(Self.onImport)
    intervalMilliseconds = try IntervalText.milliseconds(arguments, Self.interval) ?? 5000
    limitMilliseconds = try IntervalText.milliseconds(arguments, Self.containerLimit) ?? 30_000
    metrics = try MetricsTarget.read(arguments, Self.metrics)
    if metrics != nil, !watches { throw UsageError("--metrics needs --watch") }
  }

  func run(to output: Output) throws -> ExitStatus {
    let printer = SyncPrinter(output: output, printsJSON: printsJSON, isWatching: watches)
    var status = ExitStatus.done
    guard watches else {
      for store in stores {
        status = try status.combined(with: synchronize(store, printer))
      }
      return status
    }
    var watched: [ServedStore] = []
    for path in stores {
      do {
        var store = ServedStore(path: try DocumentArguments.store(path))
        store.interval = intervalMilliseconds
        store.containerLimit = limitMilliseconds
        store.onImport = onImport
        store.reseeds = reseeds
        if !watched.contains(store) { watched.append(store) }
      } catch {
        status = printer.fail(error)
      }
    }
    if watched.isEmpty { return status }
    return try status.combined(
      with: MultiStoreWatch(stores: watched, printer: printer, metrics: metrics).run())
  }

  private func synchronize(_ store: String, _ printer: SyncPrinter) throws -> ExitStatus {
    do {
      let store = try DocumentArguments.store(store)
      try DocumentArguments.checkNotDeleted(store)
      let session = try SyncSession(
        store: store,
        environment: StoreEnvironment(containerLimit: .milliseconds(limitMilliseconds)))
      let handler = try onImport.map { try SyncedImports(session, store, $0, printer) }
      let report = try session.synchronize(reseed: reseeds) { try handler?.note($0) }
      printer.output.hasDone("\(store) is synchronised as far as possible")
      let status = try printer.print(report, of: store)
      try handler?.run()
      return status
    } catch let error as OutputError {
      throw error
    } catch {
      // The other stores do not depend on this one.
      return printer.fail(error)
    }
  }
}
