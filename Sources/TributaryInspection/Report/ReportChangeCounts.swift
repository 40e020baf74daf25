package import TributaryLog

/// Row changes, counted by operation.
package struct ReportChangeCounts: Equatable {
  package var inserts = 0
  package var updates = 0
  package var deletes = 0
  /// The size of the changes before compression, in bytes.
  package var bytes = 0

  package init() {}

  package var total: Int { inserts + updates + deletes }

  package mutating func add(_ change: ChangeView) {
    switch change.operation {
    case .insert, .replace: inserts += 1
    case .update: updates += 1
    case .delete: deletes += 1
    }
    bytes += change.image.count
  }

  package mutating func add(_ other: ReportChangeCounts) {
    inserts += other.inserts
    updates += other.updates
    deletes += other.deletes
    bytes += other.bytes
  }
}
