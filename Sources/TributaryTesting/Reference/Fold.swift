internal import TributaryCore

/// Returns the rows that live after these transactions, regardless of constraints.
///
/// Every transaction is applied in ascending order of stamp, one by one. An insert makes the row
/// live and sets the columns that it names. The other columns take their defaults if the row was
/// dead or unknown, and keep their values if it lived. An update sets columns of a living row, and
/// does nothing to any other row. A delete makes the row dead.
///
/// - Precondition: the transactions name only tables and columns of the schema.
package func fold(
  _ transactions: some Sequence<ReferenceTransaction>, schema: ReferenceSchema
) -> ReferenceContents {
  let fold = Fold(of: transactions.sorted(by: { $0.stamp < $1.stamp }), schema: schema)
  var contents = ReferenceContents()
  for (identity, row) in fold.living { contents[identity] = row.values }
  return contents
}

/// The result of applying transactions one by one, with the origin of each part.
struct Fold {
  /// A property of a row, and the transaction since which the row has continuously had it.
  struct Dated {
    var values: [Value]
    var since: ReferenceSide
  }

  struct LivingRow {
    var values: ReferenceContents.Row
    /// The transaction that gave each column its value.
    var writers: [String: ReferenceSide]
    /// The keys that it claims, by the position of the unique key.
    var claims: [Int: Dated] = [:]
    /// What it refers to, by the position of the foreign key.
    var references: [Int: Dated] = [:]
  }

  struct Event {
    var transaction: ReferenceTransaction
    var change: ReferenceChange
  }

  let schema: ReferenceSchema
  private(set) var living: [ReferenceRowIdentity: LivingRow] = [:]
  /// All events of each row, in the order of stamps.
  private(set) var events: [ReferenceRowIdentity: [Event]] = [:]

  /// Applies the transactions.
  ///
  /// - Parameter transactions: in ascending order of stamp.
  init(of transactions: [ReferenceTransaction], schema: ReferenceSchema) {
    self.schema = schema
    for transaction in transactions {
      for change in transaction.changes { apply(change, of: transaction) }
      for change in transaction.changes {
        date(schema[change.table].identity(change.key), by: transaction.identity)
      }
    }
  }

  private mutating func apply(_ change: ReferenceChange, of transaction: ReferenceTransaction) {
    let table = schema[change.table]
    let columns = Set(table.columns.map(\.name))
    precondition(columns.isSuperset(of: change.values.keys), "unknown column in \(change)")
    let row = table.identity(change.key)
    events[row, default: []].append(Event(transaction: transaction, change: change))
    let author = transaction.identity
    switch change.operation {
    case .delete:
      living[row] = nil
    case .update:
      for (column, value) in change.values {
        guard let old = living[row]?.values[column] else { return }
        living[row]!.values[column] = table[column: column].policy.merge(old, value)
        living[row]!.writers[column] = author
      }
    case .insert, .replace:
      let values = change.allValues(table)
      living[row] =
        living[row]
        ?? LivingRow(
          values: table.defaults, writers: table.defaults.mapValues { _ in author })
      for (column, value) in values {
        living[row]!.values[column] = value
        living[row]!.writers[column] = author
      }
    }
  }

  /// Records which keys and references of a row are new.
  private mutating func date(_ identity: ReferenceRowIdentity, by author: ReferenceSide) {
    guard let row = living[identity] else { return }
    let table = schema[identity.table]
    func dated(_ values: [Value]?, _ before: Dated?) -> Dated? {
      guard let values else { return nil }
      return before?.values == values ? before : Dated(values: values, since: author)
    }
    for (index, key) in table.uniqueKeys.enumerated() {
      living[identity]!.claims[index] = dated(key.claim(row.values), row.claims[index])
    }
    for (index, key) in table.foreignKeys.enumerated() where key.isEnforced {
      living[identity]!.references[index] = dated(key.target(row.values), row.references[index])
    }
  }
}

extension ReferenceChange {
  /// Returns the values of all columns that an insert gives, including those of the key.
  func allValues(_ table: ReferenceTable) -> ReferenceContents.Row {
    guard putsRow else { return values }
    let key = Dictionary(uniqueKeysWithValues: zip(table.keyColumns.map(\.name), key))
    return key.merging(values) { _, value in value }
  }
}

extension ReferenceTable {
  var defaults: ReferenceContents.Row {
    Dictionary(uniqueKeysWithValues: columns.map { ($0.name, $0.defaultValue) })
  }
}

extension ReferencePolicy {
  /// Returns the result of an update.
  func merge(_ old: Value, _ new: Value) -> Value {
    switch self {
    case .later, .last: new
    case .counter: .integer(old.count &+ new.count)
    case .max: new == .null || new.precedes(old) ? old : new
    case .min: new == .null || old != .null && old.precedes(new) ? old : new
    }
  }
}

extension Value {
  /// The count of a counter.
  var count: Int64 {
    switch self {
    case .null: return 0
    case .integer(let count): return count
    default: preconditionFailure("\(literal) in a counter")
    }
  }
}
