/// The days on which a store has synchronised and has seen its whole container. The silence of a peer is
/// counted in these days: a store that was off has waited for no peer.
package struct SynchronisedDays: Equatable {
  /// The number of these days.
  package private(set) var count: UInt64 = 0
  /// The last of these days; `nil` if there was none.
  package private(set) var last: UInt64?

  static let milliseconds: UInt64 = 86_400_000

  package init() {}

  /// Reads the days from their text. If it cannot be read, counting starts over.
  package init(_ text: String?) {
    let parts = (text ?? "").split(separator: " ")
    guard parts.count == 2, let count = UInt64(parts[0]), let last = UInt64(parts[1]) else {
      return
    }
    self.count = count
    self.last = last
  }

  package var text: String? { last.map { "\(count) \($0)" } }

  /// Returns the day of a time, in days of UTC since 1970.
  static func day(_ milliseconds: UInt64) -> UInt64 { milliseconds / Self.milliseconds }

  /// Counts a day once.
  package mutating func note(_ day: UInt64) {
    // If a clock was ahead and is right again, no day has passed.
    if last.map({ $0 < day }) ?? true { count += 1 }
    last = day
  }
}
