/// The metrics of stores in the text format of Prometheus.
///
/// Source: *Prometheus, Exposition formats, version 0.0.4*
public struct MetricsText: Sendable {
  /// A figure with a label.
  private struct Sample {
    var labels: String
    var value: String
  }

  private enum Kind: String { case counter, gauge }

  /// The text so far.
  public private(set) var text = ""

  /// Creates an empty text.
  public init() {}

  /// Adds the metrics of stores, which the label `store` distinguishes.
  ///
  /// - Parameter now: the present time, in milliseconds since 1970.
  public mutating func add(_ stores: [(store: String, metrics: StoreMetrics)], now: UInt64) {
    func seconds(_ milliseconds: UInt64) -> String { Self.seconds(milliseconds) }
    func since(_ time: UInt64?) -> String { time.map { seconds(now - min(now, $0)) } ?? "0" }
    let figures: [(name: String, kind: Kind, help: String, value: (StoreMetrics) -> String?)] = [
      (
        "published_transactions_total", .counter, "Own transactions published.",
        { "\($0.publishedTransactions)" }
      ),
      ("published_segments_total", .counter, "Segments published.", { "\($0.publishedSegments)" }),
      (
        "published_bytes_total", .counter, "Bytes of segments published.",
        { "\($0.publishedBytes)" }
      ),
      ("imports_total", .counter, "Synchronisations that imported something.", { "\($0.imports)" }),
      (
        "imported_transactions_total", .counter, "Transactions of other stores imported.",
        { "\($0.importedTransactions)" }
      ),
      (
        "imported_rows_total", .counter, "Rows changed by imports.", { "\($0.importedRows)" }
      ),
      (
        "errors_total", .counter, "Synchronisations prevented, wholly or in part.",
        { "\($0.errors)" }
      ),
      (
        "unpublished_transactions", .gauge, "Own transactions in no published segment.",
        { "\($0.unpublished)" }
      ),
      (
        "waiting_peers", .gauge, "Peers that sent what cannot be imported yet.", { "\($0.waiting)" }
      ),
      (
        "waiting_seconds", .gauge, "How long the longest of these waits.",
        { since($0.waitingSince) }
      ),
      ("conflicts", .gauge, "Open conflicts.", { "\($0.conflicts)" }),
      ("damaged_files", .gauge, "Files set aside.", { "\($0.damaged)" }),
      (
        "import_lag_seconds", .gauge,
        "From the commit of the last transaction imported to its import.",
        { $0.lag.map(seconds) }
      ),
      (
        "last_success_timestamp_seconds", .gauge,
        "When a synchronisation was last prevented by nothing.", { $0.lastSuccess.map(seconds) }
      ),
      (
        "failing_seconds", .gauge,
        "How long synchronisations have been prevented; 0 if they are not.",
        { since($0.failingSince) }
      ),
    ]
    for figure in figures {
      let samples = stores.compactMap { store, metrics in
        figure.value(metrics).map { Sample(labels: Self.label("store", store), value: $0) }
      }
      add(figure.name, figure.kind, figure.help, samples)
    }
  }

  /// Adds a figure of the whole process that can go up and down.
  package mutating func addGauge(_ name: String, _ help: String, _ value: Int) {
    add(name, .gauge, help, [Sample(labels: "", value: "\(value)")])
  }

  /// Adds a figure of each store that can go up and down.
  package mutating func addGauge(
    _ name: String, _ help: String, _ values: [(store: String, value: UInt64)]
  ) {
    add(name, .gauge, help, samples(values))
  }

  /// Adds a figure of each store that only grows.
  package mutating func addCounter(
    _ name: String, _ help: String, _ values: [(store: String, value: UInt64)]
  ) {
    add(name, .counter, help, samples(values))
  }

  private func samples(_ values: [(store: String, value: UInt64)]) -> [Sample] {
    values.map { Sample(labels: Self.label("store", $0.store), value: "\($0.value)") }
  }

  private mutating func add(_ name: String, _ kind: Kind, _ help: String, _ samples: [Sample]) {
    guard !samples.isEmpty else { return }
    text += "# HELP tributary_\(name) \(help)\n# TYPE tributary_\(name) \(kind.rawValue)\n"
    for sample in samples { text += "tributary_\(name)\(sample.labels) \(sample.value)\n" }
  }

  private static func label(_ name: String, _ value: String) -> String {
    var escaped = ""
    for character in value.unicodeScalars {
      switch character {
      case "\\": escaped += "\\\\"
      case "\"": escaped += "\\\""
      case "\n": escaped += "\\n"
      default: escaped.unicodeScalars.append(character)
      }
    }
    return "{\(name)=\"\(escaped)\"}"
  }

  private static func seconds(_ milliseconds: UInt64) -> String {
    let rest = "\(milliseconds % 1000)"
    return "\(milliseconds / 1000)." + String(repeating: "0", count: 3 - rest.count) + rest
  }
}
