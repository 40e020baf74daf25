import TributaryFiles
import TributarySync

/// Delivers the metrics of a service to their target until it ends.
final class MetricsPublisher: Sendable {
  private let file: MetricsFile?
  private let service: SyncService
  private let failures: MetricsFailures
  private let socket: MetricsSocket?

  /// How often the file is written.
  static let period = Duration.seconds(15)

  /// Starts once the service has its stores.
  ///
  /// - Parameters:
  ///   - configuration: the file that says what to serve, if there is one.
  ///   - onFailure: called with errors that occur later.
  /// - Throws: if the place cannot be used.
  init(
    _ target: MetricsTarget, of service: SyncService, configuration: String? = nil,
    period: Duration = period, onFailure: @escaping @Sendable (String) -> Void
  ) throws {
    self.service = service
    let failures = MetricsFailures(onFailure)
    self.failures = failures
    switch target {
    case .file(let path):
      socket = nil
      let file = try MetricsFile(
        path, stores: service.stores.map(\.path), configuration: configuration)
      self.file = file
      try file.write(Self.text(of: service))
      try service.perform(every: period) { [service] in
        failures.attempt { try file.write(Self.text(of: service)) }
      }
    case .socket(let path):
      file = nil
      socket = try MetricsSocket(path) { [service] in Self.text(of: service) }
    }
  }

  /// Writes the file a last time, or removes the socket.
  func finish() {
    socket?.finish()
    if let file { failures.attempt { try file.write(Self.text(of: service)) } }
  }

  /// Returns what a service has done as text.
  static func text(of service: SyncService) -> String {
    let all = service.metrics
    var text = MetricsText()
    text.addGauge("stores", "Stores that are kept synchronised.", all.count)
    let now = SystemClock().milliseconds()
    text.add(all.map { ($0.store.path, $0.metrics.store) }, now: now)
    func values(_ value: (ServiceMetrics) -> UInt64?) -> [(store: String, value: UInt64)] {
      all.compactMap { store, metrics in value(metrics).map { (store.path, $0) } }
    }
    text.addGauge(
      "store_up", "Whether the store can be used: 1, or 0.", values { $0.isOpen ? 1 : 0 })
    text.addGauge(
      "on_import_queued", "Imports that wait for the command.",
      values { $0.handles ? $0.queued : nil })
    text.addCounter(
      "on_import_runs_total", "Imports for which the command has succeeded.",
      values { $0.handles ? $0.handled : nil })
    text.addCounter(
      "on_import_errors_total", "Runs of the command that failed.",
      values { $0.handles ? $0.handlingErrors : nil })
    return text.text
  }
}
