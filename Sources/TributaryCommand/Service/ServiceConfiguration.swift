import TributarySync

/// What a service does, according to its configuration.
struct ServiceConfiguration {
  var stores: [ServedStore] = []
  var metrics: MetricsTarget?
  /// How often a file of metrics is written, in milliseconds.
  var metricsInterval = 15_000
  var page: PageAddress?
  /// The file with the token of the page.
  var pageToken: String?
  var log = ServiceLog.Form.logfmt
  /// Files that match a pattern but are not stores.
  var passedOver: [String] = []
  /// Patterns that no store matches.
  var unmatched: [String] = []
}
