import TributaryCore
import TributaryLog
import TributaryStore

/// How far the new changes of a batch reach back into the logs.
package struct BatchReach {
  /// The earliest stamp among the new changes; `nil` if there are none.
  package private(set) var earliest: Stamp?
  /// What the authors of all new changes knew; `nil` if there are none.
  package private(set) var floor: Knowledge?
  /// The last transaction that was included.
  private var last: BatchTransaction?

  /// Includes a transaction with new changes.
  mutating func include(_ transaction: BatchTransaction) {
    earliest = min(earliest ?? transaction.stamp, transaction.stamp)
    defer { last = transaction }
    guard let floor else {
      self.floor = transaction.view
      return
    }
    if let last, transaction.continues(last) { return }
    let view = transaction.view
    if !view.isSuperset(of: floor) { self.floor = floor.intersection(view) }
  }
}
