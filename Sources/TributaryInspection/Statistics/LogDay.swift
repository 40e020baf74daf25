package import TributaryCore
internal import TributaryFiles

/// The day of a transaction by its stamp, in UTC.
package struct LogDay: Hashable, Comparable, Sendable {
  private static let millisecondCount: UInt64 = 86_400_000

  /// Days since 1970-01-01.
  package let number: UInt64
  /// Whether it means rows that a store had before it was attached: their transactions have no time, which
  /// looks like the first moment of 1970.
  package let isAdopted: Bool

  package init(_ time: HybridTime) {
    number = time.milliseconds / Self.millisecondCount
    isAdopted = time.milliseconds == 0
  }

  /// The day as text, e.g. `2026-11-20`.
  package var text: String {
    let time = Timestamp.text(milliseconds: number * Self.millisecondCount)
    return String(time.prefix { $0 != "T" })
  }

  package static func < (a: LogDay, b: LogDay) -> Bool {
    a.number != b.number ? a.number < b.number : a.isAdopted && !b.isAdopted
  }
}
