internal import TributaryLog

/// An amount of changes.
package struct ChangeTally: Equatable, Sendable {
  package var transactions = 0
  package var inserts = 0
  package var updates = 0
  package var deletes = 0
  /// The size of the images of the changes before compression, in bytes.
  package var byteCount = 0

  /// Makes an empty tally.
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
