internal import TributaryCore

/// The definition of the merge: the contents that any store has which has seen these transactions.
///
/// Every transaction is applied in ascending order of stamp, one by one. An insert makes the row
/// live and sets the columns it names; the others take their defaults if the row was dead or
/// unknown, and stay as they are if it lived. An update sets columns of a living row and does
/// nothing to another. A delete makes the row dead. Nothing else is remembered.
///
/// - Precondition: the transactions name only tables and columns of the schema.
package func fold(
  _ transactions: some Sequence<ReferenceTransaction>, schema: ReferenceSchema
) -> ReferenceContents {
  var contents = ReferenceContents()
  for transaction in transactions.sorted(by: { $0.stamp < $1.stamp }) {
    for change in transaction.changes { contents.apply(change, schema: schema) }
  }
  return contents
}

extension ReferenceContents {
  fileprivate mutating func apply(_ change: ReferenceChange, schema: ReferenceSchema) {
    let table = schema[change.table]
    let columns = Set(table.columns.map(\.name))
    precondition(columns.isSuperset(of: change.values.keys), "unknown column in \(change)")
    let identity = ReferenceRowIdentity(table: table.name, key: table.canonical(change.key))

    switch change.operation {
    case .delete:
      self[identity] = nil
    case .update:
      guard var row = self[identity] else { return }
      for (column, value) in change.values { row[column] = value }
      self[identity] = row
    case .insert:
      var row = self[identity] ?? table.defaults
      for (column, value) in zip(table.keyColumns, change.key) { row[column.name] = value }
      for (column, value) in change.values { row[column] = value }
      self[identity] = row
    }
  }
}

extension ReferenceTable {
  fileprivate var defaults: ReferenceContents.Row {
    Dictionary(uniqueKeysWithValues: columns.map { ($0.name, $0.defaultValue) })
  }
}
