internal import TributaryCore

/// Gives a row that has lost its number another one: from its table, the number it was born with, and
/// the transaction of its birth; `nil` for the rows from before the first takeover of that number.
package typealias FreshNumbers =
  @Sendable (_ table: String, _ number: Int64, _ birth: ReferenceTransaction?) -> Int64

/// Tells apart the rows that were given one number by accident, and those whose number SQLite gave
/// again while they were held.
struct Births {
  private struct Number: Hashable {
    var table: String
    var number: Int64
  }

  private struct Birth {
    var transaction: ReferenceTransaction
    var change: ReferenceChange

    /// The number was that of a row which was held for its author.
    var takesOver: Bool

    /// It refers to a row by a number that may mean another row elsewhere.
    var refersToNumber: Bool

    /// Nobody gave the row a name that another could give it too.
    var standsAlone: Bool

    /// Whether both are the birth of one row.
    func isSameRow(as other: Birth) -> Bool {
      if takesOver || other.takesOver { return false }
      if standsAlone {
        // Copies of one database have the same rows under the same numbers.
        return transaction.stamp.time == .zero && other.transaction.stamp.time == .zero
          && change == other.change
      }
      return transaction.stamp.time == .zero && other.transaction.stamp.time == .zero
        || change == other.change && !refersToNumber
    }

    func isConcurrent(with other: Birth) -> Bool {
      !transaction.saw(other.transaction) && !other.transaction.saw(transaction)
    }
  }

  /// Whose the number is: of the rows from before the first takeover, or from one on.
  private enum Holder: Hashable {
    case first
    case takeover(ReferenceSide)
  }

  private let schema: ReferenceSchema
  private let fresh: FreshNumbers
  /// In ascending order of stamp.
  private var births: [Number: [Birth]] = [:]
  private var takeovers: [Number: [Birth]] = [:]
  /// By number and birth.
  private var holders: [Number: [ReferenceSide: Holder]] = [:]
  /// By fresh number, whether anybody has it or not: the number that was given first, and the birth;
  /// `nil` for the first holder's.
  private var origins: [Number: (number: Int64, birth: Birth?)] = [:]

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
        add(change, under: Number(table: change.table, number: number), of: transaction)
      }
    }
  }

  private mutating func add(
    _ change: ReferenceChange, under name: Number, of transaction: ReferenceTransaction
  ) {
    let table = schema[change.table]
    let birth = Birth(
      transaction: transaction, change: change,
      takesOver: transaction.changes.contains { $0.announcesTakeover(by: change) },
      // SQLite gives no negative numbers: equal rows have the number from one row.
      refersToNumber: name.number >= 0
        && change.values.contains { column, value in
          value != .null && !table.isKey(column)
            && schema.numberedTable(of: column, in: table) != nil
        },
      // A negative number is that of one row, wherever it comes back.
      standsAlone: name.number >= 0 && table.keepsEqualRowsApart)
    births[name, default: []].append(birth)
    setOrigin(of: birth, name)
    if birth.takesOver {
      takeovers[name, default: []].append(birth)
      setOrigin(of: nil, name)
    }
    holders[name, default: [:]][transaction.identity] = holder(of: name, for: transaction)
  }

  private mutating func setOrigin(of birth: Birth?, _ name: Number) {
    let number = fresh(name.table, name.number, birth?.transaction)
    origins[Number(table: name.table, number: number)] = (name.number, birth)
  }

  /// Those of some births that an earlier one, which is not among the result, is concurrent with.
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

  /// The last of some births that none displaces.
  private static func last(_ births: [Birth]) -> Birth? {
    let displaced = displaced(births)
    return births.last { !displaced.contains($0.transaction.identity) }
  }

  private func isBefore(_ transaction: ReferenceTransaction, _ birth: Birth) -> Bool {
    birth.transaction.identity == transaction.identity || transaction.saw(birth.transaction)
  }

  /// Whose the number was when a transaction had been written, for its author.
  private func holder(of name: Number, for transaction: ReferenceTransaction) -> Holder {
    let seen = takeovers[name, default: []].filter { isBefore(transaction, $0) }
    return Self.last(seen).map { .takeover($0.transaction.identity) } ?? .first
  }

  /// The number that a holder has.
  private func place(of holder: Holder, under name: Number) -> Int64 {
    let all = takeovers[name, default: []]
    guard let last = Self.last(all) else { return name.number }
    switch holder {
    case .first: return fresh(name.table, name.number, nil)
    case .takeover(last.transaction.identity): return name.number
    case .takeover(let side):
      let birth = all.first { $0.transaction.identity == side }!
      return fresh(name.table, name.number, birth.transaction)
    }
  }

  /// The births that are no takeovers, of one holder.
  private func births(of holder: Holder, under name: Number) -> [Birth] {
    births[name, default: []].filter {
      !$0.takesOver && holders[name]![$0.transaction.identity] == holder
    }
  }

  /// The number that the row of a birth has.
  private func number(of birth: Birth, under name: Number) -> Int64 {
    let side = birth.transaction.identity
    let holder = holders[name]![side]!
    let isDisplaced =
      !birth.takesOver && Self.displaced(births(of: holder, under: name)).contains(side)
    return isDisplaced
      ? fresh(name.table, name.number, birth.transaction) : place(of: holder, under: name)
  }

  /// The number of the row that the author of a transaction meant by a number.
  private func meaning(
    of number: Int64, in table: String, by transaction: ReferenceTransaction
  ) -> Int64 {
    let name = Number(table: table, number: number)
    if let origin = origins[name] {
      let home = Number(table: table, number: origin.number)
      return origin.birth.map { self.number(of: $0, under: home) }
        ?? place(of: .first, under: home)
    }
    if births[name] == nil { return number }
    let holder = holder(of: name, for: transaction)
    let seen = births(of: holder, under: name).filter { isBefore(transaction, $0) }
    return Self.last(seen).map { self.number(of: $0, under: name) }
      ?? place(of: holder, under: name)
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

extension ReferenceChange {
  /// Whether it says of an insert that the number was a held row's: an update of the same row that
  /// sets nothing.
  fileprivate func announcesTakeover(by insert: ReferenceChange) -> Bool {
    operation == .update && table == insert.table && key == insert.key && values.isEmpty
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
