internal import TributaryCore

/// Gives a displaced row its number: from its table, the number it was born with, and the
/// transaction of its birth.
package typealias FreshNumbers =
  @Sendable (_ table: String, _ number: Int64, _ birth: ReferenceTransaction) -> Int64

/// Tells apart the rows that were given one number by accident.
struct Births {
  private struct Number: Hashable {
    var table: String
    var number: Int64
  }

  private struct Birth {
    var transaction: ReferenceTransaction
    var change: ReferenceChange

    /// It refers to a row by a number that may mean another row elsewhere.
    var refersToNumber: Bool

    /// Whether both are the birth of one row.
    func isSameRow(as other: Birth) -> Bool {
      transaction.stamp.time == .zero && other.transaction.stamp.time == .zero
        || change == other.change && !refersToNumber
    }

    func isConcurrent(with other: Birth) -> Bool {
      !transaction.saw(other.transaction) && !other.transaction.saw(transaction)
    }
  }

  private let schema: ReferenceSchema
  private let fresh: FreshNumbers
  /// In ascending order of stamp.
  private var births: [Number: [Birth]] = [:]
  private var displaced: [Number: Set<ReferenceSide>] = [:]
  /// By fresh number, whether anybody has it or not: the number and the transaction of the birth.
  private var origins: [Number: (number: Int64, birth: ReferenceSide)] = [:]

  /// - Parameter transactions: in ascending order of stamp.
  init(
    of transactions: [ReferenceTransaction], schema: ReferenceSchema, fresh: @escaping FreshNumbers
  ) {
    self.schema = schema
    self.fresh = fresh
    for transaction in transactions {
      for change in transaction.changes where change.operation == .insert {
        guard schema[change.table].hasBirths, let number = change.key[0].number,
          // A row that had been displaced comes back.
          origins[Number(table: change.table, number: number)] == nil
        else { continue }
        let other = fresh(change.table, number, transaction)
        origins[Number(table: change.table, number: other)] = (number, transaction.identity)
        births[Number(table: change.table, number: number), default: []]
          .append(
            Birth(
              transaction: transaction, change: change,
              // SQLite gives no negative numbers: equal rows have the number from one row.
              refersToNumber: number >= 0
                && change.values.contains { column, value in
                  value != .null && !schema[change.table].isKey(column)
                    && schema.numberedTable(of: column, in: schema[change.table]) != nil
                }))
      }
    }
    displaced = births.mapValues(Self.displaced)
  }

  /// Those of the births under one number that an earlier one, which is not among them, is
  /// concurrent with.
  private static func displaced(_ births: [Birth]) -> Set<ReferenceSide> {
    var displaced: Set<ReferenceSide> = []
    var staying: [Birth] = []
    for birth in births {
      if staying.contains(where: { $0.isConcurrent(with: birth) && !$0.isSameRow(as: birth) }) {
        displaced.insert(birth.transaction.identity)
      } else {
        staying.append(birth)
      }
    }
    return displaced
  }

  /// The number of the row that the author of a transaction meant by a number.
  private func meaning(
    of number: Int64, in table: String, by transaction: ReferenceTransaction
  ) -> Int64 {
    let name = Number(table: table, number: number)
    if let origin = origins[name] {
      let home = Number(table: table, number: origin.number)
      return displaced[home]!.contains(origin.birth) ? number : origin.number
    }
    let seen = births[name, default: []].filter {
      $0.transaction.identity == transaction.identity || transaction.saw($0.transaction)
    }
    let moved = Self.displaced(seen)
    guard let birth = seen.last(where: { !moved.contains($0.transaction.identity) })?.transaction,
      displaced[name]!.contains(birth.identity)
    else { return number }
    return fresh(table, number, birth)
  }

  /// A transaction with the numbers that its rows have now.
  func read(_ transaction: ReferenceTransaction) -> ReferenceTransaction {
    var transaction = transaction
    transaction.changes = transaction.changes.map { change in
      var change = change
      let table = schema[change.table]
      func read(_ value: Value, _ column: String) -> Value {
        guard let owner = schema.numberedTable(of: column, in: table), let number = value.number
        else { return value }
        let meaning = meaning(of: number, in: owner, by: transaction)
        return meaning == number ? value : value.replacing(number: meaning)
      }
      change.key = zip(table.keyColumns, change.key).map { read($1, $0.name) }
      for (column, value) in change.values { change.values[column] = read(value, column) }
      return change
    }
    return transaction
  }
}

extension ReferenceTable {
  /// Whether two inserts under one number may be two rows.
  var hasBirths: Bool {
    hasGeneratedKeys && !hasNaturalKeys
      && !foreignKeys.contains { $0.columns == keyColumns.map(\.name) }
  }
}

extension ReferenceSchema {
  /// The table with births whose numbers stand in a column, because it is the key there or refers
  /// to it, by way of other tables too; `nil` when there is none.
  func numberedTable(of column: String, in table: ReferenceTable) -> String? {
    var asked: Set<[String]> = []
    func find(_ column: String, _ table: ReferenceTable) -> String? {
      guard asked.insert([table.name, column]).inserted else { return nil }
      if table.hasBirths, table.isKey(column) { return table.name }
      for key in table.foreignKeys {
        guard let index = key.columns.firstIndex(of: column) else { continue }
        let found = find(key.parentColumns[index].name, self[key.parent])
        if found != nil { return found }
      }
      return nil
    }
    return find(column, table)
  }
}

extension Value {
  /// The number that SQLite takes it for as a row's.
  fileprivate var number: Int64? {
    let compared = ReferenceCollation.binary.canonical(ReferenceAffinity.numeric.compared(self))
    if case .integer(let number) = compared { return number }
    return nil
  }

  /// Another number, stored as this one is.
  fileprivate func replacing(number: Int64) -> Value {
    switch self {
    case .text(let bytes): .text(ReferenceAffinity.respelling(bytes, as: number))
    case .real: .real(Double(number))
    default: .integer(number)
    }
  }
}
