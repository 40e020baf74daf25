import TributaryCore

/// A statement that the open transaction makes about a row without having to change it: the row is intended
/// to be as it is.
struct Settlement {
  var table: String
  /// The key, in the order of the primary key.
  var key: [Value]
  /// The columns to write again with their current values, if the row exists.
  var columns: [String] = []
  /// Whether to delete the row again, if it does not exist.
  var isDeletion = false
  /// Whether to write the whole row again, visible or held, so that it lives even if another device
  /// deletes it at the same time.
  var isWhole = false
  /// Whether a held row must be visible after the commit, which otherwise fails.
  var isDemanded = false
}

extension [Settlement] {
  /// Returns the held rows that must be visible after the commit.
  func demandedRows(_ schema: ReplicatedSchema) throws -> Set<RowIdentity> {
    var rows: Set<RowIdentity> = []
    for settlement in self where settlement.isDemanded {
      guard
        let number = schema.tables.firstIndex(where: {
          SQLName($0.name) == SQLName(settlement.table)
        })
      else {
        continue
      }
      rows.insert(try schema.tables[number].identity(key: settlement.key, number: number))
    }
    return rows
  }
}
