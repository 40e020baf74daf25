import TributaryCore
import TributaryLog

/// The position of a change among all changes of its row, by stamp.
///
/// Several changes in one transaction can turn out to concern the same row (`docs/merging-numbers.md`). They
/// apply in the order of their log, with inserts last.
package struct ChangeOrder: Comparable, Sendable {
  private let stamp: Stamp
  private let putsRow: Bool
  private let place: Int32

  /// Makes the order of a change.
  ///
  /// - Parameters:
  ///   - stamp: the stamp of its transaction.
  ///   - place: its position among the changes of its transaction.
  package init(stamp: Stamp, operation: ChangeOperation, place: Int32) {
    self.stamp = stamp
    putsRow = operation.putsRow
    self.place = place
  }

  package static func < (a: ChangeOrder, b: ChangeOrder) -> Bool {
    if a.stamp != b.stamp { return a.stamp < b.stamp }
    return a.putsRow == b.putsRow ? a.place < b.place : b.putsRow
  }
}
