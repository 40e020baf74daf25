import TributaryCore

/// A hybrid time in the form of a manifest.
struct ManifestTime: Codable {
  var milliseconds: UInt64
  var counter: UInt16

  init(_ time: HybridTime) {
    milliseconds = time.milliseconds
    counter = time.counter
  }

  /// The hybrid time; `nil` for milliseconds that are too large for one.
  var hybrid: HybridTime? {
    milliseconds <= HybridTime.maximumMilliseconds
      ? HybridTime(milliseconds: milliseconds, counter: counter) : nil
  }
}
