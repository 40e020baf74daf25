internal import TributaryCore

/// Returns another number for a row that has lost its own, given its table, its first number, and the
/// transaction of its numbering, which is `nil` for the rows from before the first takeover of that number.
package typealias FreshNumbers =
  @Sendable (_ table: String, _ number: Int64, _ numbering: ReferenceTransaction?) -> Int64

/// A number of a table.
struct ReferenceNumber: Hashable {
  var table: String
  var number: Int64
}

/// Distinguishes rows that were given the same number by accident, and rows whose number SQLite gave again
/// while they were held.
struct Numberings {
  private let schema: ReferenceSchema
  private let fresh: FreshNumbers
  private var households: [ReferenceNumber: Household] = [:]
  /// By fresh number, used or not: the number that was given first, and the numbering; `nil` for the first
  /// holder's.
  private var origins: [ReferenceNumber: (home: ReferenceNumber, numbering: Numbering?)] = [:]
  private var positive: PositiveNumbers
  private var identities = Identities()

  /// Finds the numberings.
  ///
  /// - Parameter transactions: in ascending order of stamp.
  init(
    of transactions: [ReferenceTransaction], schema: ReferenceSchema, fresh: @escaping FreshNumbers
  ) {
    self.schema = schema
    self.fresh = fresh
    positive = PositiveNumbers(schema, fresh)
    var numberings: [Numbering] = []
    for transaction in transactions {
      for change in transaction.changes where change.operation == .insert {
        guard schema[change.table].hasNumberings, let number = change.key[0].number else {
          continue
        }
        let name = ReferenceNumber(table: change.table, number: number)
        let numbering = Numbering(change, under: name, of: transaction, schema)
        if schema[change.table].positiveBits != nil {
          positive.add(numbering)
        } else {
          numberings.append(numbering)
        }
      }
    }
    positive.settle()
    settle(numberings)
    identify(
      households.values.flatMap(\.numberings)
        .filter { !schema[$0.name.table].identifyingColumns.isEmpty }
        .sorted { $0.transaction.stamp < $1.transaction.stamp })
  }

  /// Determines which numbers are fresh, and which inserts are numberings: an insert under a fresh number
  /// brings back a displaced row.
  ///
  /// - Parameter inserts: in ascending order of stamp.
  private mutating func settle(_ inserts: [Numbering]) {
    var count = -1
    var numberings = inserts
    while numberings.count != count {
      count = numberings.count
      households = [:]
      origins = [:]
      for numbering in numberings {
        households[numbering.name, default: Household()].numberings.append(numbering)
      }
      for household in households.values where household.haveMet {
        for numbering in household.numberings {
          setOrigin(of: numbering, numbering.name)
          if numbering.takesOver { setOrigin(of: nil, numbering.name) }
        }
      }
      numberings = inserts.filter { origins[$0.name] == nil }
    }
  }

  // MARK: Rows that are one

  /// The number of numberings that are not separate rows.
  var joinedCount: Int { identities.joinedCount }

  /// Determines which rows are the same, in the order of stamps.
  private mutating func identify(_ numberings: [Numbering]) {
    var numberings = numberings[...]
    while let first = numberings.first {
      let ofOne = numberings.prefix { $0.identity == first.identity }
      numberings = numberings.dropFirst(ofOne.count)
      identify(ofOne: Array(ofOne))
    }
  }

  /// Identifies the numberings of one transaction: first those that refer to none of the others, then those
  /// that refer to these, and so on; those that refer to each other in a circle are identified all at once.
  private mutating func identify(ofOne numberings: [Numbering]) {
    var left = numberings
    while !left.isEmpty {
      let names = Set(left.map(\.name))
      var next = left.filter { names.isDisjoint(with: referred(by: $0)) }
      if next.isEmpty {
        next = left.filter { numbering in
          reached(from: numbering.name, left).allSatisfy {
            reached(from: $0, left).contains(numbering.name)
          }
        }
      }
      next.sort { ($0.name.table, $0.name.number) < ($1.name.table, $1.name.number) }
      let values = next.map(identifyingValues(of:))
      for case (let numbering, let values?) in zip(next, values) {
        identities.add(numbering, values)
      }
      let done = Set(next.map(\.name))
      left.removeAll { done.contains($0.name) }
    }
  }

  /// Returns the rows that the identifying values refer to.
  private func referred(by numbering: Numbering) -> [ReferenceNumber] {
    let table = schema[numbering.name.table]
    return table.identifyingColumns.compactMap { column in
      guard let owner = schema.numberedTable(of: column.name, in: table),
        let number = numbering.value(column.name, in: table).number
      else { return nil }
      return ReferenceNumber(table: owner, number: number)
    }
  }

  /// Returns the numberings that a numbering refers to, directly or indirectly.
  private func reached(from first: ReferenceNumber, _ numberings: [Numbering]) -> Set<
    ReferenceNumber
  > {
    var reached: Set<ReferenceNumber> = []
    var open = [first]
    while let name = open.popLast() {
      for numbering in numberings where numbering.name == name {
        for next in referred(by: numbering) where numberings.contains(where: { $0.name == next }) {
          if reached.insert(next).inserted { open.append(next) }
        }
      }
    }
    return reached
  }

  /// Returns the values that make a row the same as others, with the current numbers of the rows that it
  /// refers to; `nil` if a value is NULL.
  private func identifyingValues(of numbering: Numbering) -> [Value]? {
    let table = schema[numbering.name.table]
    var seen: [String: PositiveNumbers.Guests] = [:]
    let values = table.identifyingColumns.map { column in
      column.collation.canonical(
        read(
          numbering.value(column.name, in: table), column.name, table, by: numbering.transaction,
          joins: false, &seen))
    }
    return values.contains(.null) ? nil : values
  }

  /// Returns the number of a numbering's row, in a table whose displaced rows take negative numbers.
  private func number(of numbering: Numbering) -> Int64 {
    let root = identities.root(of: numbering)
    return number(households[root.name]!.place(of: root), root.name)
  }

  // MARK: Numbers

  private mutating func setOrigin(of numbering: Numbering?, _ name: ReferenceNumber) {
    let number = fresh(name.table, name.number, numbering?.transaction)
    origins[ReferenceNumber(table: name.table, number: number)] = (name, numbering)
  }

  private func number(_ place: Household.Place, _ name: ReferenceNumber) -> Int64 {
    switch place {
    case .same: name.number
    case .first: fresh(name.table, name.number, nil)
    case .numbered(let numbering): fresh(name.table, name.number, numbering.transaction)
    }
  }

  /// Returns the number of the row that the author of a transaction meant by a number.
  private func meaning(
    of number: Int64, in table: String, by transaction: ReferenceTransaction,
    joins: Bool, _ seen: inout [String: PositiveNumbers.Guests]
  ) -> Int64 {
    let name = ReferenceNumber(table: table, number: number)
    if schema[table].positiveBits != nil {
      let guests =
        joins
        ? positive.guests : seen[table] ?? positive.guests(in: table, seenBy: transaction)
      if !joins { seen[table] = guests }
      return positive.meaning(of: name, by: transaction, guests)
    }
    if let (home, numbering) = origins[name] {
      guard let numbering else { return self.number(households[home]!.place(of: .first), home) }
      return identities.hasLeft(numbering, for: transaction) ? number : self.number(of: numbering)
    }
    guard let household = households[name] else { return number }
    guard let numbering = household.meaning(by: transaction) else {
      return self.number(household.place(of: .first), name)
    }
    // An author who had seen the row under another number did not find it under this one.
    return identities.hasLeft(numbering, for: transaction) ? number : self.number(of: numbering)
  }

  /// Returns a value of a column with the current number of the row that it refers to.
  private func read(
    _ value: Value, _ column: String, _ table: ReferenceTable,
    by transaction: ReferenceTransaction, joins: Bool,
    _ seen: inout [String: PositiveNumbers.Guests]
  ) -> Value {
    guard let owner = schema.numberedTable(of: column, in: table), let number = value.number
    else { return value }
    let meaning = meaning(of: number, in: owner, by: transaction, joins: joins, &seen)
    return meaning == number ? value : value.replacing(number: meaning)
  }

  /// Returns a transaction with the current numbers of its rows.
  func read(_ transaction: ReferenceTransaction) -> ReferenceTransaction {
    var transaction = transaction
    var seen: [String: PositiveNumbers.Guests] = [:]
    transaction.changes = transaction.changes.map { change in
      var change = change
      let table = schema[change.table]
      // The rows of a joining database are those that it showed; adopted rows are inserts.
      let joins = transaction.stamp.time == .zero && change.operation != .insert
      change.key = zip(table.keyColumns, change.key).map {
        read($1, $0.name, table, by: transaction, joins: joins, &seen)
      }
      for (column, value) in change.values {
        change.values[column] = read(
          value, column, table, by: transaction, joins: joins, &seen)
      }
      return change
    }
    // Two of them may now concern the same row. An insert comes last.
    transaction.changes =
      transaction.changes.filter { !$0.putsRow } + transaction.changes.filter(\.putsRow)
    return transaction
  }
}

extension ReferenceTable {
  /// Whether two inserts under one number may be two rows.
  package var hasNumberings: Bool {
    hasGeneratedKeys && !hasNaturalKeys
      && !foreignKeys.contains { $0.columns == keyColumns.map(\.name) }
  }
}

extension ReferenceSchema {
  /// Returns the table with numberings whose numbers are in a column, because the column is the key there or
  /// refers to it, perhaps through other tables; `nil` if there is none.
  package func numberedTable(of column: String, in table: ReferenceTable) -> String? {
    var asked: Set<[String]> = []
    func find(_ column: String, _ table: ReferenceTable) -> String? {
      guard asked.insert([table.name, column]).inserted else { return nil }
      if table.hasNumberings, table.isKey(column) { return table.name }
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
  /// The number of the row that SQLite finds with this value.
  package var number: Int64? {
    let compared = ReferenceCollation.binary.canonical(ReferenceAffinity.numeric.compared(self))
    if case .integer(let number) = compared { return number }
    return nil
  }

  /// Returns another number, stored in the same way as this one.
  fileprivate func replacing(number: Int64) -> Value {
    switch self {
    case .text(let bytes): .text(ReferenceAffinity.respelling(bytes, as: number))
    case .real: .real(Double(number))
    default: .integer(number)
    }
  }
}
