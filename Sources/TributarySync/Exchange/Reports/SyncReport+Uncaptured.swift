extension SyncReport {
  /// What another program wrote into the store while nothing captured it. It was found by comparison with the
  /// logs, and is now a transaction of the store.
  public struct Uncaptured: Equatable, Sendable, CustomStringConvertible {
    /// The number of rows that differed from the logs.
    public var rows: Int
    /// The tables of the rows.
    public var tables: [String]

    package init(rows: Int, tables: [String]) {
      self.rows = rows
      self.tables = tables
    }

    func appending(_ other: Uncaptured) -> Uncaptured {
      Uncaptured(rows: rows + other.rows, tables: Set(tables + other.tables).sorted())
    }

    public var description: String {
      "another program wrote \(rows == 1 ? "1 row" : "\(rows) rows") of \(Self.list(tables)) while nothing captured it"
    }

    static func list(_ tables: [String]) -> String {
      let named = tables.prefix(5).joined(separator: ", ")
      let rest = tables.count - min(tables.count, 5)
      return (tables.count == 1 ? "table " : "tables ") + named
        + (rest > 0 ? " and \(rest) more" : "")
    }
  }
}
