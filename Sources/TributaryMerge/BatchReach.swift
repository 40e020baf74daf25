import TributaryCore
import TributaryLog
import TributaryStore

/// How far the new changes of a batch reach back into the logs.
package struct BatchReach {
  /// The earliest stamp among the new changes; `nil` if there are none.
  package private(set) var earliest: Stamp?
  /// What the authors of all new changes knew; `nil` if there are none.
  package private(set) var floor: Knowledge?
  /// The last transaction that was included; `nil` also if it stated what it was based on.
  private var last: (side: Conflict.Side, knowledge: Knowledge)?

  /// Includes a transaction with new changes.
  mutating func include(_ transaction: BatchTransaction) {
    let stamp = transaction.stamp
    if earliest.map({ stamp < $0 }) ?? true { earliest = stamp }
    // Its view contains that of the previous transaction.
    if let last, transaction.continues(last.side, knowing: last.knowledge) {
      self.last?.side = transaction.side
      return
    }
    last = transaction.basis == nil ? (transaction.side, transaction.knowledge) : nil
    let view = transaction.view
    guard let floor else {
      floor = view
      return
    }
    if !view.isSuperset(of: floor) { self.floor = floor.intersection(view) }
  }
}
