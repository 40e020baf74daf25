internal import TributaryLog

/// How much was changed.
package struct ChangeTally: Equatable, Sendable {
  package var transactions = 0
  package var inserts = 0
  package var updates = 0
  package var deletes = 0
  /// Of the images of the changes, before compression.
  package var byteCount = 0

  /// Nothing.
  package init() {}

  var changeCount: Int { inserts + updates + deletes }

  mutating func add(_ change: ChangeView) {
    switch change.operation {
    case .insert, .replace: inserts += 1
    case .update: updates += 1
    case .delete: deletes += 1
    }
    byteCount += change.image.count
  }

  static func += (a: inout ChangeTally, b: ChangeTally) {
    a.transactions += b.transactions
    a.inserts += b.inserts
    a.updates += b.updates
    a.deletes += b.deletes
    a.byteCount += b.byteCount
  }
}
