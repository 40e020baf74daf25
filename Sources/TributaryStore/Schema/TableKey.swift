package import TributaryCore

/// What identifies the rows of a table without a PRIMARY KEY.
public struct TableKey: Hashable, Sendable {
  /// The name of the table.
  public var table: String
  /// What identifies its rows.
  public var knownBy: KnownBy

  package init(table: String, knownBy: KnownBy) {
    self.table = table
    self.knownBy = knownBy
  }
}

extension TableKey: CustomStringConvertible {
  public var description: String { "rows of \(table) are known by \(knownBy)" }
}

extension TableKey {
  /// Writes one object: the table, the word for the choice, and the columns of a UNIQUE key.
  package func write(to json: inout JSONWriter) {
    json.object { json in
      json.member("table", table)
      json.member("by", knownBy.word ?? "unique")
      if case .unique(let columns) = knownBy {
        json.member("columns", each: columns) { json, column in json.string(column.text) }
      }
    }
  }
}

extension ReplicatedSchema {
  /// The tables whose rows are identified by something other than a PRIMARY KEY.
  package var chosenKeys: [TableKey] {
    tables.compactMap { table in
      guard table.refusal == nil else { return nil }
      return table.knownBy.map { TableKey(table: table.name, knownBy: $0) }
    }
  }
}
