import TributaryCore
import TributaryLog

/// All changes of one row, in order of stamp, interpreted by the rules of `docs/merging.md`.
package struct RowHistory: Sendable {
  package struct Change: Sendable {
    package var author: BatchTransaction
    package var operation: ChangeOperation
    /// Its position among the changes of its transaction.
    package var place: Int32
    /// The values by stored column; `nil` where the change has no value.
    package var values: [Value?]

    package init(
      author: BatchTransaction, operation: ChangeOperation, place: Int32, values: [Value?]
    ) {
      self.author = author
      self.operation = operation
      self.place = place
      self.values = values
    }

    package var side: Conflict.Side { author.side }

    /// Whether it repeats what an earlier insert of the same migration has inserted.
    fileprivate func repeats(_ earlier: Change) -> Bool {
      author.mark == earlier.author.mark
        && zip(values, earlier.values).allSatisfy { $0.hasSameBits(as: $1) }
    }

    var order: ChangeOrder {
      ChangeOrder(stamp: author.stamp, operation: operation, place: place)
    }

    /// Returns a row after the change; `nil` while it is dead.
    ///
    /// - Parameter defaults: the defaults of all stored columns.
    package func applied(
      to row: [Value]?, of table: TableDescription, defaults: [Value]
    ) -> [Value]? {
      switch operation {
      case .delete: return nil
      case .insert, .replace: return zip(values, row ?? defaults).map { $0 ?? $1 }
      case .update:
        guard var new = row else { return nil }
        let keys = Set(table.shape.keys.map(\.column))
        for (column, value) in values.enumerated() where !keys.contains(column) {
          if let value { new[column] = table.policies[column].merged(value, into: new[column]) }
        }
        return new
      }
    }
  }

  package var changes: [Change] = []
  /// Since when the row has had what it had at the horizon, as far as that is known; by the name of the key,
  /// or by the number of the reference after "#".
  package var settled: [String: Conflict.Side] = [:]

  package init() {}

  /// Puts the changes in the order in which they apply, and drops inserts of a migration that repeat an
  /// insert from another device.
  package mutating func sort() {
    changes.sort { $0.order < $1.order }
    guard changes.contains(where: { $0.author.mark != nil }) else { return }
    var earlier: [Change] = []
    changes.removeAll { change in
      guard change.operation == .insert, change.author.mark != nil else { return false }
      if earlier.contains(where: change.repeats) { return true }
      earlier.append(change)
      return false
    }
  }

  /// A row as a transaction left it; `nil` while it is dead.
  typealias Version = (side: Conflict.Side, row: [Value]?)

  /// Returns the row after each transaction, and any death of the row within one. If a transaction changed a
  /// row under two numbers, no device has ever seen the state between these changes.
  ///
  /// - Parameter defaults: the defaults of all stored columns.
  func versions(_ table: TableDescription, defaults: [Value]) -> [Version] {
    changes.reduce(into: []) { versions, change in
      let last = versions.last
      let row = change.applied(to: last?.row ?? nil, of: table, defaults: defaults)
      if let last, last.side == change.side, last.row != nil, row != nil { versions.removeLast() }
      versions.append((change.side, row))
    }
  }

  /// The last deletion after which the row did not live.
  var lastDeletion: Conflict.Side? { changes.last { $0.operation == .delete }?.side }

  /// Returns since when the row has had its final value without interruption.
  ///
  /// - Parameter value: returns the part of a row in question; `nil` if the row has none.
  static func since(
    _ versions: [Version], _ value: ([Value]) throws -> [UInt8]?
  ) rethrows -> Conflict.Side? {
    var since: Conflict.Side?
    var last: [UInt8]?
    for version in versions {
      let now = try version.row.flatMap(value)
      if now == nil || now != last { since = now == nil ? nil : version.side }
      last = now
    }
    return since
  }
}
