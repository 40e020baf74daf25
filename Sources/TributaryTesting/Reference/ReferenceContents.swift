package import TributaryCore

/// The contents of a store's tables: for each table and key, the row.
package struct ReferenceContents: Sendable {
  /// A value for each column; the values of the key are as spelled.
  package typealias Row = [String: Value]

  /// The rows by table; a table without rows may be missing.
  package var tables: [String: [ReferenceKey: Row]]

  package init(tables: [String: [ReferenceKey: Row]] = [:]) { self.tables = tables }

  /// The row with a key; `nil` if it does not exist.
  package subscript(identity: ReferenceRowIdentity) -> Row? {
    get { tables[identity.table]?[identity.key] }
    set { tables[identity.table, default: [:]][identity.key] = newValue }
  }

  /// Adds a row as it was read from a table.
  ///
  /// - Precondition: the row has a value for each column, and no row with its key is here.
  package mutating func insert(_ row: Row, into table: ReferenceTable) {
    precondition(
      Set(row.keys) == Set(table.columns.map(\.name)), "other columns than \(table.name)")
    let key = table.canonical(table.key(of: row))
    let replaced = tables[table.name, default: [:]].updateValue(row, forKey: key)
    precondition(replaced == nil, "two rows of \(table.name) with the key \(key)")
  }

  /// Returns the rows of a table in an order that is the same in every run.
  package func rows(of table: String) -> [(key: ReferenceKey, row: Row)] {
    tables[table, default: [:]].sorted { $0.key < $1.key }.map { (key: $0.key, row: $0.value) }
  }

  /// Returns what is only in one of the two: a line for each row or cell, in the order of tables,
  /// keys and columns; empty if both have the same contents.
  package func difference(from other: ReferenceContents) -> [String] {
    Set(tables.keys).union(other.tables.keys).sorted().flatMap { name in
      let mine = tables[name, default: [:]]
      let theirs = other.tables[name, default: [:]]
      return Set(mine.keys).union(theirs.keys).sorted().flatMap { key in
        Self.difference(of: "\(name) \(key)", mine[key], theirs[key])
      }
    }
  }

  private static func difference(of name: String, _ mine: Row?, _ theirs: Row?) -> [String] {
    guard let mine else { return theirs.map { ["\(name): missing \(describe($0))"] } ?? [] }
    guard let theirs else { return ["\(name): unexpected \(describe(mine))"] }
    return Set(mine.keys).union(theirs.keys).sorted().compactMap { column in
      switch (mine[column], theirs[column]) {
      case (let value?, let expected?):
        value.isIdentical(to: expected)
          ? nil : "\(name).\(column): \(value.literal), expected \(expected.literal)"
      case (let value?, nil): "\(name).\(column): \(value.literal), expected no such column"
      case (nil, let expected): "\(name).\(column): no such column, expected \(expected!.literal)"
      }
    }
  }

  private static func describe(_ row: Row) -> String {
    row.sorted { $0.key < $1.key }.map { "\($0.key) = \($0.value.literal)" }.joined(separator: ", ")
  }
}

extension ReferenceContents: Equatable {
  /// Compares value by value, to the bit.
  package static func == (a: ReferenceContents, b: ReferenceContents) -> Bool {
    a.difference(from: b).isEmpty
  }
}
