import Foundation

/// Which seeds a test runs: a fixed range, or with `TRIBUTARY_SOAK_MINUTES` fresh ones for that
/// long.
package enum Soak {
  /// - Parameters:
  ///   - part: tests that run side by side have different ones.
  ///   - count: how many seeds there are without a soak.
  package static func seeds(
    part: UInt64, otherwise count: UInt64
  ) -> AnySequence<Range<UInt64>> {
    guard let minutes, chosenSeed == nil else {
      return AnySequence([part * count..<(part + 1) * count])
    }
    let end = ContinuousClock.now + .seconds(minutes * 60)
    let first = UInt64.random(in: 0...UInt64(Int64.max))
    return AnySequence(
      sequence(state: first) { seed -> Range<UInt64>? in
        guard ContinuousClock.now < end else { return nil }
        defer { seed += 1 }
        return seed..<seed + 1
      })
  }

  /// How long to go on; `nil` when nobody asked for it.
  package static var minutes: Double? {
    ProcessInfo.processInfo.environment["TRIBUTARY_SOAK_MINUTES"].flatMap(Double.init)
  }
}
