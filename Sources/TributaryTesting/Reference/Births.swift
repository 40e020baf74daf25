internal import TributaryCore

/// Gives a row that has lost its number another one: from its table, the number it was born with, and
/// the transaction of its birth; `nil` for the rows from before the first takeover of that number.
package typealias FreshNumbers =
  @Sendable (_ table: String, _ number: Int64, _ birth: ReferenceTransaction?) -> Int64

/// A number of a table.
struct ReferenceNumber: Hashable {
  var table: String
  var number: Int64
}

/// Tells apart the rows that were given one number by accident, and those whose number SQLite gave
/// again while they were held.
struct Births {
  private let schema: ReferenceSchema
  private let fresh: FreshNumbers
  private var households: [ReferenceNumber: Household] = [:]
  /// By fresh number, whether anybody has it or not: the number that was given first, and the birth;
  /// `nil` for the first holder's.
  private var origins: [ReferenceNumber: (home: ReferenceNumber, birth: Birth?)] = [:]
  private var positive: PositiveNumbers
  private var identities = Identities()

  /// - Parameter transactions: in ascending order of stamp.
  init(
    of transactions: [ReferenceTransaction], schema: ReferenceSchema, fresh: @escaping FreshNumbers
  ) {
    self.schema = schema
    self.fresh = fresh
    positive = PositiveNumbers(schema, fresh)
    var identified: [Birth] = []
    for transaction in transactions {
      for change in transaction.changes where change.operation == .insert {
        guard schema[change.table].hasBirths, let number = change.key[0].number else { continue }
        let name = ReferenceNumber(table: change.table, number: number)
        let birth = Birth(change, under: name, of: transaction, schema)
        if schema[change.table].positiveBits != nil {
          positive.add(birth)
        } else if origins[name] == nil {
          add(birth)
        } else {
          // A row that had been displaced comes back.
          continue
        }
        if !schema[change.table].identifyingColumns.isEmpty { identified.append(birth) }
      }
    }
    positive.settle()
    // What they refer to was there before, under whatever number.
    for birth in identified {
      if let values = identifyingValues(of: birth) { identities.add(birth, values) }
    }
  }

  /// What makes a row the same as others, with the numbers that the rows have which it refers to; `nil` where
  /// one is NULL.
  private func identifyingValues(of birth: Birth) -> [Value]? {
    let table = schema[birth.name.table]
    var seen: [String: PositiveNumbers.Guests] = [:]
    let values = table.identifyingColumns.map { column in
      let value = read(
        birth.value(column.name, in: table), column.name, table, by: birth.transaction, &seen)
      return column.collation.canonical(value)
    }
    return values.contains(.null) ? nil : values
  }

  private mutating func add(_ birth: Birth) {
    let name = birth.name
    households[name, default: Household()].births.append(birth)
    setOrigin(of: birth, name)
    if birth.takesOver { setOrigin(of: nil, name) }
  }

  private mutating func setOrigin(of birth: Birth?, _ name: ReferenceNumber) {
    let number = fresh(name.table, name.number, birth?.transaction)
    origins[ReferenceNumber(table: name.table, number: number)] = (name, birth)
  }

  /// The number that the row of a birth has.
  private func number(of birth: Birth) -> Int64 {
    let root = identities.root(of: birth)
    if schema[root.name.table].positiveBits != nil { return positive.number(of: root) }
    guard let household = households[root.name] else { return root.name.number }
    return number(household.place(of: root), root.name)
  }

  private func number(_ place: Household.Place, _ name: ReferenceNumber) -> Int64 {
    switch place {
    case .same: name.number
    case .first: fresh(name.table, name.number, nil)
    case .born(let birth): fresh(name.table, name.number, birth.transaction)
    }
  }

  /// The number of the row that the author of a transaction meant by a number.
  private func meaning(
    of number: Int64, in table: String, by transaction: ReferenceTransaction,
    _ seen: inout [String: PositiveNumbers.Guests]
  ) -> Int64 {
    let name = ReferenceNumber(table: table, number: number)
    if schema[table].positiveBits != nil {
      let guests = seen[table] ?? positive.guests(in: table, seenBy: transaction)
      seen[table] = guests
      switch positive.meaning(of: name, by: transaction, guests) {
      case .birth(let birth): return self.number(of: birth)
      case .other(let number): return number
      }
    }
    if let (home, birth) = origins[name] {
      return birth.map(self.number(of:)) ?? self.number(households[home]!.place(of: .first), home)
    }
    guard let household = households[name] else { return number }
    return household.meaning(by: transaction).map(self.number(of:))
      ?? self.number(household.place(of: .first), name)
  }

  private func read(
    _ value: Value, _ column: String, _ table: ReferenceTable,
    by transaction: ReferenceTransaction, _ seen: inout [String: PositiveNumbers.Guests]
  ) -> Value {
    guard let owner = schema.numberedTable(of: column, in: table), let number = value.number
    else { return value }
    let meaning = meaning(of: number, in: owner, by: transaction, &seen)
    return meaning == number ? value : value.replacing(number: meaning)
  }

  /// A transaction with the numbers that its rows have now.
  func read(_ transaction: ReferenceTransaction) -> ReferenceTransaction {
    var transaction = transaction
    var seen: [String: PositiveNumbers.Guests] = [:]
    transaction.changes = transaction.changes.map { change in
      var change = change
      let table = schema[change.table]
      change.key = zip(table.keyColumns, change.key).map {
        read($1, $0.name, table, by: transaction, &seen)
      }
      for (column, value) in change.values {
        change.values[column] = read(value, column, table, by: transaction, &seen)
      }
      return change
    }
    return transaction
  }
}

extension ReferenceTable {
  /// Whether two inserts under one number may be two rows.
  package var hasBirths: Bool {
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
  var number: Int64? {
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
