import TributaryCore

/// The rows that were given one number, and which of them have it.
///
/// Births that are added change what is known of their own numbers alone. Until `settle`, it can also
/// say what numbers meant without them.
public struct BirthRegistry: Sendable {
  private var negative: [SharedNumber: NegativeNumber] = [:]
  /// By fresh number, whether its row has it or not: the number that the row was born with.
  private var origins: [SharedNumber: Int64] = [:]
  /// What `negative` had before the last births were added, where that is something else; `nil` where
  /// nothing was known.
  private var formerNegative: [SharedNumber: NegativeNumber?] = [:]
  private var positive = PositiveNumbers()
  private var formerPositive: PositiveNumbers?
  /// Births of tables of which it is declared what makes rows the same.
  private var identified: [Birth] = []
  private var identities = Identities()
  private var formerIdentities: Identities?
  /// How many numbers have been worked out, for those who want to know what it costs.
  package private(set) var workCount = 0

  public init() {}

  package init(_ births: [Birth], tables: [NumberedTable]) {
    add(births, tables: tables)
    settle()
  }

  public var isEmpty: Bool { negative.isEmpty && positive.isEmpty }

  /// - Complexity: as many numbers are worked out as `births` have; all of those tables with positive
  ///   numbers, if one of them is among these; and all rows that may be one.
  package mutating func add(_ births: [Birth], tables: [NumberedTable]) {
    addNumbers(births, tables: tables)
    identified += births.filter { tables[$0.table].isIdentified && !$0.identity.isEmpty }
    if !identified.isEmpty { identify(tables) }
  }

  private mutating func addNumbers(_ births: [Birth], tables: [NumberedTable]) {
    var grouped: [SharedNumber: [Birth]] = [:]
    for birth in births where tables[birth.table].positiveBits == nil {
      grouped[birth.name, default: []].append(birth)
    }
    for (shared, births) in grouped {
      if formerNegative[shared] == nil {
        formerNegative.updateValue(negative[shared], forKey: shared)
      }
      let ordered = (self.births(shared) + births).sorted { $0.stamp < $1.stamp }
      let number = NegativeNumber(shared.number, ordered, table: tables[shared.table].name)
      negative[shared] = number
      for fresh in number.freshNumbers {
        origins[SharedNumber(table: shared.table, number: fresh)] = shared.number
      }
      workCount += 1
    }
    let others = births.filter { tables[$0.table].positiveBits != nil }
    if others.isEmpty { return }
    formerPositive = formerPositive ?? positive
    positive.add(others, tables: tables)
    workCount += positive.count
  }

  /// Finds out which rows are one. What they refer to is older, or made by the same transaction.
  private mutating func identify(_ tables: [NumberedTable]) {
    formerIdentities = formerIdentities ?? identities
    identities = Identities()
    for step in Identities.steps(identified, tables: tables) {
      let values = step.map { identity(of: $0, tables) }
      for case (let birth, let bytes?) in zip(step, values) { identities.add(birth, bytes) }
    }
  }

  /// What makes the row of a birth the same as others, by the numbers that rows have now: bytes that are equal
  /// where the columns take the values for equal; `nil` where nothing does.
  package func identity(of birth: Birth, _ tables: [NumberedTable]) -> [UInt8]? {
    let columns = tables[birth.table].identifying
    guard birth.identity.count == columns.count, !columns.isEmpty, !birth.identity.contains(.null)
    else { return nil }
    let values = zip(columns, birth.identity).map { column, value in
      guard let root = column.root, let number = value.rowNumber else { return value }
      let shared = SharedNumber(table: root, number: number)
      let meant = self.number(shared, meantBy: birth.transaction, joins: false, formerly: false)
      return meant == number ? value : value.replacing(rowNumber: meant)
    }
    // Only NULL is no key.
    return try? KeyProbe.bytes(values, columns.map(\.collation))
  }

  /// What was added belongs to what is known.
  public mutating func settle() {
    formerIdentities = nil
    formerNegative.removeAll()
    formerPositive = nil
  }

  package func births(_ number: SharedNumber) -> [Birth] {
    negative[number]?.history.entries.map(\.birth) ?? positive.births(number)
  }

  /// Whether an insert under that number brings a row back that has lost its own at some time.
  package func bringsBack(_ number: SharedNumber) -> Bool { origins[number] != nil }

  /// Whether a number belongs to a row that has lost its own at some time, and not to those to whom SQLite
  /// gives it.
  func isFresh(_ number: SharedNumber) -> Bool {
    origins[number] != nil || positive.hasGuest(number)
  }

  private func negative(_ number: SharedNumber, formerly: Bool) -> NegativeNumber? {
    if formerly, let known = formerNegative[number] { return known }
    return negative[number]
  }

  private func positive(formerly: Bool) -> PositiveNumbers {
    formerly ? formerPositive ?? positive : positive
  }

  /// The number of the row that has or had a fresh one; the number itself where it is none.
  private func home(
    _ shared: SharedNumber, for transaction: BatchTransaction, formerly: Bool
  ) -> Int64 {
    guard let number = origins[shared] else { return shared.number }
    let home = negative(SharedNumber(table: shared.table, number: number), formerly: formerly)
    switch home?.owner(ofFresh: shared.number) {
    case .first: return home?.firstNumber ?? shared.number
    case .birth(let birth):
      return self.number(shared, of: birth, for: transaction, formerly: formerly)
    case nil: return shared.number
    }
  }

  /// What a number is for the author of a transaction, for whom it is that of a birth's row: nobody's any more
  /// where he had seen that row under another one.
  private func number(
    _ shared: SharedNumber, of birth: Birth, for transaction: BatchTransaction, formerly: Bool
  ) -> Int64 {
    let identities = formerly ? formerIdentities ?? identities : identities
    return identities.hasLeft(birth, for: transaction)
      ? shared.number : number(of: birth, formerly: formerly)
  }

  /// The number that the row of a birth has, of a table whose displaced rows take negative ones.
  private func number(of birth: Birth, formerly: Bool) -> Int64 {
    let identities = formerly ? formerIdentities ?? identities : identities
    let root = identities.root(of: birth)
    return negative(root.name, formerly: formerly)?.number(of: root) ?? root.number
  }

  /// The number of the row that a transaction means by a number.
  ///
  /// - Parameters:
  ///   - joins: by a change of a row of a database that joined the logs.
  ///   - formerly: without the births that were added since `settle`.
  package func number(
    _ shared: SharedNumber, meantBy transaction: BatchTransaction, joins: Bool, formerly: Bool
  ) -> Int64 {
    let positive = positive(formerly: formerly)
    if positive.concerns(shared.table) {
      return positive.number(shared, meantBy: transaction, joins: joins)
    }
    guard let known = negative(shared, formerly: formerly) else {
      return home(shared, for: transaction, formerly: formerly)
    }
    return known.birth(meantBy: transaction)
      .map { number(shared, of: $0, for: transaction, formerly: formerly) } ?? known.firstNumber
  }

  /// The number of a row that a transaction inserts; its own one when it has met no other, yet.
  package func number(
    _ shared: SharedNumber, bornIn transaction: BatchTransaction, formerly: Bool
  ) -> Int64 {
    let positive = positive(formerly: formerly)
    if positive.concerns(shared.table) { return positive.number(shared, bornIn: transaction) }
    guard let known = negative(shared, formerly: formerly) else {
      return home(shared, for: transaction, formerly: formerly)
    }
    return known.birth(in: transaction).map { number(of: $0, formerly: formerly) }
      ?? known.birthplace(in: transaction)
  }

  /// The fresh numbers that the rows get whose numbers a transaction takes over.
  ///
  /// - Returns: without those for which rows would have to make room that are not concerned;
  ///   `isThere` says whether there are any under a number.
  func numbers(
    of taken: [SharedNumber], afterTakeoverBy transaction: BatchTransaction,
    tables: [NumberedTable], isThere: (Set<SharedNumber>) throws -> Bool
  ) rethrows -> [SharedNumber: Int64] {
    var after = self
    after.settle()
    after.add(
      taken.map {
        Birth(table: $0.table, number: $0.number, transaction: transaction, content: nil)
      }, tables: tables)
    let isInTheWay =
      try after.moved.contains {
        // Others than the rows whose numbers are taken.
        tables[$0.table].positiveBits != nil
          && (!taken.contains($0.name)
            || after.number($0.name, bornIn: $0.transaction, formerly: true) != $0.number)
      }
      || after.movedFirstHolders.contains { !taken.contains($0) }
      || isThere(after.shiftedNumbers)
    var numbers: [SharedNumber: Int64] = [:]
    for shared in taken {
      if tables[shared.table].positiveBits == nil {
        numbers[shared] =
          negative[shared]?.numberAfterTakeover(by: transaction)
          ?? FreshNumber.number(
            table: tables[shared.table].name, key: shared.number, birth: nil)
      } else if !isInTheWay {
        let place = positive.placeAfterTakeover(of: shared, by: transaction)
        numbers[shared] = after.positive.number(place, of: shared)
      }
    }
    return numbers
  }

  /// The births that have another number than they had before the last ones were added.
  public var moved: [Birth] {
    var births = formerNegative.keys.flatMap { number in
      self.negative[number]?.history.entries.map(\.birth) ?? []
    }
    if formerIdentities != nil {
      births += identified.filter { formerNegative[$0.name] == nil }
    }
    // One that was alone had its number.
    let negative = births.filter {
      number($0.name, bornIn: $0.transaction, formerly: false)
        != number($0.name, bornIn: $0.transaction, formerly: true)
    }
    guard let formerPositive else { return negative }
    return negative
      + positive.allBirths.filter {
        positive.number($0.name, bornIn: $0.transaction)
          != formerPositive.number($0.name, bornIn: $0.transaction)
      }
  }

  /// Whether rows have another number of whose births nothing is known: any transaction may speak of
  /// them.
  public var movesFirstHolders: Bool {
    let movesNegative = formerNegative.contains { number, old in
      negative[number].map { $0.firstNumber != old?.firstNumber ?? number.number } ?? false
    }
    return movesNegative || !movedFirstHolders.isEmpty
  }

  /// Of tables with positive numbers.
  private var movedFirstHolders: Set<SharedNumber> {
    formerPositive.map { positive.movedFirstHolders(since: $0) } ?? []
  }

  /// Numbers whose rows have others by now although nothing is known of their births: they have made room,
  /// or are back.
  package var shiftedNumbers: Set<SharedNumber> {
    formerPositive.map { positive.formerResidences(since: $0) } ?? []
  }
}
