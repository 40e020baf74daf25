import TributaryCore

/// What the open transaction says of a row that it need not change: that it is meant to be as it
/// is.
struct Settlement {
  var table: String
  /// In the order of the primary key.
  var key: [Value]
  /// Written again with the values that they have, if there is the row.
  var columns: [String] = []
  /// Deleted again, if there is no row.
  var isDeletion = false
  /// Written again as a whole, visible or held, so that it lives also where another device deletes
  /// it at the same time.
  var isWhole = false
  /// A held row must be visible after the commit, which fails otherwise.
  var isDemanded = false
}

extension [Settlement] {
  /// The held rows that must be visible after the commit.
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
