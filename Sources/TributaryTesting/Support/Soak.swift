import Foundation
import Synchronization

/// The seeds that a test runs: a fixed range; with `TRIBUTARY_SOAK_MINUTES`, fresh ones for that
/// long; with `TRIBUTARY_SOAK_HISTORIES`, that many fresh ones.
package enum Soak {
  /// Returns the seeds.
  ///
  /// - Parameters:
  ///   - part: distinguishes tests that run in parallel, which have different seeds.
  ///   - parts: the number of such tests, which divide the number of histories among them.
  ///   - count: the number of seeds without a soak.
  package static func seeds(
    part: UInt64, of parts: UInt64 = 1, otherwise count: UInt64
  ) -> AnySequence<Range<UInt64>> {
    guard chosenSeed == nil, minutes != nil || histories != nil else {
      return AnySequence([part * count..<(part + 1) * count])
    }
    let end = minutes.map { ContinuousClock.now + .seconds($0 * 60) }
    let share = histories.map { $0 / parts + (part < $0 % parts ? 1 : 0) }
    let first = UInt64.random(in: 0...UInt64(Int64.max))
    return AnySequence(
      sequence(state: UInt64(0)) { done -> Range<UInt64>? in
        if let end, ContinuousClock.now >= end { return nil }
        if let share, done >= share { return nil }
        defer { done += 1 }
        return first + done..<first + done + 1
      })
  }

  /// Returns the parts that tests are divided into in order to run in parallel; only the first if a seed was
  /// chosen, which that part runs.
  package static func parts(_ count: UInt64) -> Range<UInt64> {
    0..<(chosenSeed == nil ? count : 1)
  }

  /// Whether a soak was requested.
  package static var isRunning: Bool { minutes != nil || histories != nil }

  /// Returns the cases that have failed once and are run again: all of them in a soak, and otherwise every
  /// second one.
  package static func once<Case>(_ cases: [Case]) -> [Case] {
    if isRunning { return cases }
    return stride(from: 0, to: cases.count, by: 2).map { cases[$0] }
  }

  private static let finished = Mutex<[String: Int]>([:])

  /// Counts a finished history, and reports the count periodically during a soak.
  package static func didFinish(_ name: String) {
    let count = finished.withLock { finished in
      finished[name, default: 0] += 1
      return finished[name]!
    }
    guard minutes != nil || histories != nil else { return }
    if count % 100 == 0 || histories.map({ UInt64(count) == $0 }) ?? false {
      FileHandle.standardError.write(Data("\(name): \(count) histories done\n".utf8))
    }
  }

  /// The requested duration; `nil` if none was requested.
  package static var minutes: Double? {
    ProcessInfo.processInfo.environment["TRIBUTARY_SOAK_MINUTES"].flatMap(Double.init)
  }

  /// Whether the year of use is simulated in full.
  package static var isYear: Bool {
    ProcessInfo.processInfo.environment["TRIBUTARY_SOAK_YEAR"] != nil
  }

  /// The requested number of runs of each kind; `nil` if none was requested.
  package static var histories: UInt64? {
    ProcessInfo.processInfo.environment["TRIBUTARY_SOAK_HISTORIES"].flatMap(UInt64.init)
  }
}
