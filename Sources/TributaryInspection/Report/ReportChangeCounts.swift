package import TributaryLog

/// Row changes, counted by what they do.
package struct ReportChangeCounts: Equatable {
  package var inserts = 0
  package var updates = 0
  package var deletes = 0
  /// Of the changes before compression.
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
