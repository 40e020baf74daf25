/// The progress of a stage: how much is done, how fast, and the remaining time.
package struct ProgressEstimate: Sendable {
  package let stage: String
  private let start: UInt64
  private let doneAtStart: Int

  /// Before this time has passed, the observed rate says little.
  private static let leastNanoseconds: UInt64 = 1_000_000_000

  /// Starts a stage.
  ///
  /// - Parameter nanoseconds: the reading of a monotonic clock.
  package init(stage: String, done: Int, nanoseconds: UInt64) {
    self.stage = stage
    start = nanoseconds
    doneAtStart = done
  }

  /// Returns the progress as text.
  ///
  /// - Parameter total: `nil` if the end is not known.
  package func text(done: Int, total: Int?, nanoseconds: UInt64) -> String {
    let total = total.flatMap { $0 > 0 ? $0 : nil }
    var text = stage + (total.map { " \(min(done, $0) * 100 / $0) %" } ?? " \(done)")
    let elapsed = nanoseconds > start ? nanoseconds - start : 0
    guard elapsed >= Self.leastNanoseconds, done > doneAtStart else { return text }
    let rate = Double(done - doneAtStart) / (Double(elapsed) / 1e9)
    text += rate < 10 ? ", \(Double(Int(rate * 10)) / 10)/s" : ", \(Int(rate))/s"
    guard let total, total > done else { return text }
    return text + ", \(Self.duration(Double(total - done) / rate)) left"
  }

  private static func duration(_ seconds: Double) -> String {
    let seconds = Int(min(seconds, 1e9)) + 1
    if seconds < 120 { return "\(seconds) s" }
    if seconds < 7200 { return "\(seconds / 60) min" }
    return "\(seconds / 3600) h"
  }
}
