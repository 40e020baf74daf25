import TributaryCore
import TributaryLog

/// All changes of one row, in order of stamp, interpreted as `docs/merging.md` says.
public struct RowHistory: Sendable {
  public struct Change: Sendable {
    public var side: Conflict.Side
    public var operation: ChangeOperation
    /// The values by stored column; `nil` where the change has none.
    public var values: [Value?]

    public init(side: Conflict.Side, operation: ChangeOperation, values: [Value?]) {
      self.side = side
      self.operation = operation
      self.values = values
    }
  }

  public var changes: [Change] = []

  public init() {}

  /// Returns the row after each change; `nil` while it is dead.
  ///
  /// - Parameter defaults: the defaults of all stored columns.
  func versions(_ table: TableDescription, defaults: [Value]) -> [(
    side: Conflict.Side, row: [Value]?
  )] {
    var row: [Value]?
    return changes.map { change in
      switch change.operation {
      case .delete: row = nil
      case .insert, .replace:
        var new = row ?? defaults
        for (column, value) in change.values.enumerated() {
          if let value { new[column] = value }
        }
        row = new
      case .update:
        if var new = row {
          let keys = Set(table.shape.keys.map(\.column))
          for (column, value) in change.values.enumerated() where !keys.contains(column) {
            if let value { new[column] = table.policies[column].merged(value, into: new[column]) }
          }
          row = new
        }
      }
      return (change.side, row)
    }
  }

  /// The last deletion after which the row did not live.
  var lastDeletion: Conflict.Side? { changes.last { $0.operation == .delete }?.side }

  /// Returns since when the row has had, without interruption, its final value.
  ///
  /// - Parameter value: returns the part of a row in question; `nil` if the row has none.
  static func since(
    _ versions: [(side: Conflict.Side, row: [Value]?)], _ value: ([Value]) throws -> [UInt8]?
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
