import TributaryCore

/// A hybrid time as a manifest writes it.
struct ManifestTime: Codable {
  var milliseconds: UInt64
  var counter: UInt16

  init(_ time: HybridTime) {
    milliseconds = time.milliseconds
    counter = time.counter
  }

  /// `nil` beyond the end of time.
  var hybrid: HybridTime? {
    milliseconds <= HybridTime.maximumMilliseconds
      ? HybridTime(milliseconds: milliseconds, counter: counter) : nil
  }
}
