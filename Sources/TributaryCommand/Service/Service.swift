import Glibc
import Synchronization
import TributaryFiles
import TributarySync

/// A service, from its start to the signal that ends it.
final class Service: Sendable {
  private let path: String
  private let options: Options
  private let log: ServiceLog
  private let observer: ServiceObserver
  private let sync: SyncService
  private let manager: ServiceManager
  private let first: ServiceConfiguration
  private let status = Mutex("")
  /// Whether the service is ending. Held while the stores are set: SIGHUP may arrive before the first stores
  /// are set.
  private let isEnding = Mutex(false)

  /// What the command line says in addition to the configuration.
  struct Options: Sendable {
    var metrics: MetricsTarget?
    var page: PageAddress?
    var pageToken: String?
    var log: ServiceLog.Form?

    /// Returns where the page is served, according to these options or else the configuration.
    func place(of configuration: ServiceConfiguration) throws -> PagePlace? {
      try PagePlace(page ?? configuration.page, tokenFile: pageToken ?? configuration.pageToken)
    }
  }

  /// How often the status is checked.
  private static let period = Duration.seconds(15)

  /// Reads the configuration.
  init(_ path: String, _ options: Options, output: Output) throws {
    AllocatorPolicy.giveBack()
    self.path = path
    self.options = options
    first = try ConfigurationReader.read(path)
    log = ServiceLog(output: output, form: options.log ?? first.log)
    observer = ServiceObserver(log: log, fileLimit: OpenFileLimit.raise())
    let manager = ServiceManager()
    self.manager = manager
    sync = try SyncService(observer: observer) { manager.isAlive() }
  }

  /// Keeps the stores synchronised until SIGTERM or SIGINT.
  func run() throws -> ExitStatus {
    let target = options.metrics ?? first.metrics
    try target?.check(stores: first.stores.map(\.path), configuration: path)
    let place = try options.place(of: first)
    let token = try place?.token()
    let content = ServicePage(of: sync, token: token)
    let (waiter, publisher, page) = try isEnding.withLock {
      _ throws(any Error) -> (SignalWaiter, MetricsPublisher?, PageServer?) in
      let waiter = try SignalWaiter(for: [SIGINT, SIGTERM, SIGHUP]) { [self] signal in
        guard signal == SIGHUP else { return false }
        beginReload()
        return true
      }
      try apply(first)
      var publisher: MetricsPublisher?
      do {
        publisher = try target.map { try makePublisher($0) }
        return (
          waiter, publisher,
          try place.map { try PageServer($0.address) { content.answer($0) } }
        )
      } catch {
        // If the place cannot be used, starting fails, so that the user notices.
        sync.stop()
        sync.join()
        publisher?.finish()
        throw error
      }
    }
    try sync.perform(every: Self.period) { [self] in look() }
    if let period = manager.watchdogPeriod { try sync.beat(every: period) }
    log.write(
      .notice, "started",
      [("stores", .number(first.stores.count))] + (page.map { [("page", .text($0.url))] } ?? []))
    if let obstacle = sync.watchObstacle {
      log.write(.warning, "not-watching", [("message", .text("\(obstacle)"))])
    }
    manager.isReady(statusText())
    waiter.join()
    // Commands of the user may hang; a further signal ends them.
    let impatience = try SignalWaiter(for: [SIGINT, SIGTERM]) { [observer] _ in
      observer.commands.terminate()
      return true
    }
    log.write(
      .notice, "stopping", observer.commands.notice.map { [("message", .text($0))] } ?? [])
    manager.isStopping("publishing what is committed")
    sync.stop()
    // A reload ends before it adds further stores.
    isEnding.withLock { $0 = true }
    sync.join()
    publisher?.finish()
    content.finish()
    page?.finish()
    log.write(.notice, "stopped")
    withExtendedLifetime(impatience) {}
    return .done
  }

  private func makePublisher(_ target: MetricsTarget) throws -> MetricsPublisher {
    try MetricsPublisher(
      target, of: sync, configuration: path, period: .milliseconds(first.metricsInterval)
    ) { [log] in log.write(.error, "metrics-failed", [("message", .text($0))]) }
  }

  /// Reads the configuration again on another thread: files may be slow, and signals must not wait.
  private func beginReload() {
    do {
      _ = try WorkerThread(name: "reload") { [self] in
        isEnding.withLock { isEnding in if !isEnding { reload() } }
      }
    } catch {
      noteReloadFailure(error)
    }
  }

  /// Reloads the configuration. An invalid one changes nothing.
  private func reload() {
    manager.isReloading()
    do {
      let new = try ConfigurationReader.read(path)
      // The metrics keep their place until the next start.
      try (options.metrics ?? first.metrics)?.check(
        stores: new.stores.map(\.path), configuration: path)
      let (added, removed) = try apply(new)
      log.write(
        .notice, "reloaded",
        [
          ("stores", .number(new.stores.count)), ("added", .number(added)),
          ("removed", .number(removed)),
        ])
      if new.metrics != first.metrics || new.log != first.log
        || new.metricsInterval != first.metricsInterval || new.page != first.page
        || new.pageToken != first.pageToken
      {
        log.write(
          .warning, "restart-needed",
          [("message", .text("changes of metrics, page and log take effect at the next start"))])
      }
    } catch {
      noteReloadFailure(error)
    }
    manager.isReady(statusText())
  }

  private func noteReloadFailure(_ error: any Error) {
    log.write(
      .error, "reload-failed",
      [
        (
          "message",
          .text("\(errorText(error)); the service continues with the configuration that it had")
        )
      ])
  }

  @discardableResult
  private func apply(_ configuration: ServiceConfiguration) throws -> (added: Int, removed: Int) {
    for path in configuration.passedOver {
      log.write(.notice, "passed-over", [("file", .text(path)), ("reason", .text("no store"))])
    }
    for pattern in configuration.unmatched {
      log.write(
        .warning, "unmatched", [("message", .text(ConfigurationReader.warning(of: pattern)))])
    }
    let (added, removed) = try sync.replace(with: configuration.stores)
    for store in removed {
      observer.forget(store.path)
      log.write(.info, "removed", [("store", .text(store.path))])
    }
    return (added.count, removed.count)
  }

  /// Checks whether stores have recovered, and sends the service manager the status.
  private func look() {
    let metrics = sync.metrics
    let troubled = observer.troubled
    for (store, metrics) in metrics where troubled.contains(store.path) {
      if metrics.isOpen, metrics.store.failingSince == nil { observer.noteRecovery(of: store.path) }
    }
    let text = statusText()
    let isNews = status.withLock { status in
      defer { status = text }
      return status != text
    }
    if isNews { manager.say(text) }
  }

  private func statusText() -> String {
    let stores = counted(sync.stores.count, "store")
    let troubled = observer.troubled.count
    return troubled == 0 ? stores : "\(stores), \(troubled) of them in trouble"
  }
}
