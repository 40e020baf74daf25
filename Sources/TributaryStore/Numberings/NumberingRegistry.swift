import TributaryCore

/// The rows that were given the same number, and which of them have it.
///
/// Adding numberings changes only what is known about their own numbers. Until `settle`, the registry can
/// also say what numbers meant without them.
package struct NumberingRegistry: Sendable {
  private var negative: [SharedNumber: NegativeNumber] = [:]
  /// The first numbers of rows, by their fresh numbers, whether or not the rows have these.
  private var origins: [SharedNumber: Int64] = [:]
  /// The entries of `negative` before the last numberings were added, where they differ; `nil` where nothing
  /// was known.
  private var formerNegative: [SharedNumber: NegativeNumber?] = [:]
  private var positive = PositiveNumbers()
  private var formerPositive: PositiveNumbers?
  /// The numberings in tables with columns that are declared to make rows the same.
  private var identified: [Numbering] = []
  private var identities = Identities()
  private var formerIdentities: Identities?
  /// The number of computations so far, for measurements of their cost.
  package private(set) var workCount = 0

  package init() {}

  package init(_ numberings: [Numbering], tables: [NumberedTable]) {
    add(numberings, tables: tables)
    settle()
  }

  package var isEmpty: Bool { negative.isEmpty && positive.isEmpty }

  /// Adds numberings.
  ///
  /// - Complexity: one computation for each number in `numberings`; if one of their tables has positive
  ///   numbers, one for each number of tables with positive numbers; and one for all rows that may be the
  ///   same row.
  package mutating func add(_ numberings: [Numbering], tables: [NumberedTable]) {
    addNumbers(numberings, tables: tables)
    identified += numberings.filter { !$0.identity.isEmpty }
    if !identified.isEmpty { identify(tables) }
  }

  private mutating func addNumbers(_ numberings: [Numbering], tables: [NumberedTable]) {
    var grouped: [SharedNumber: [Numbering]] = [:]
    for numbering in numberings where tables[numbering.table].positiveBits == nil {
      grouped[numbering.name, default: []].append(numbering)
    }
    for (shared, numberings) in grouped {
      if formerNegative[shared] == nil {
        formerNegative.updateValue(negative[shared], forKey: shared)
      }
      let ordered = (self.numberings(shared) + numberings).sorted { $0.stamp < $1.stamp }
      let number = NegativeNumber(shared.number, ordered, table: tables[shared.table].name)
      negative[shared] = number
      for fresh in number.freshNumbers {
        origins[SharedNumber(table: shared.table, number: fresh)] = shared.number
      }
      workCount += 1
    }
    let others = numberings.filter { tables[$0.table].positiveBits != nil }
    if others.isEmpty { return }
    formerPositive = formerPositive ?? positive
    positive.add(others, tables: tables)
    workCount += positive.count
  }

  /// Finds out which rows are the same. The rows to which they refer are older, or were inserted by the same
  /// transaction.
  private mutating func identify(_ tables: [NumberedTable]) {
    formerIdentities = formerIdentities ?? identities
    identities = Identities()
    for step in Identities.steps(identified, tables: tables) {
      let values = step.map { identity(of: $0, tables) }
      for case (let numbering, let bytes?) in zip(step, values) { identities.add(numbering, bytes) }
    }
  }

  /// Returns the values that make the row of a numbering the same as others, with the current numbers of
  /// rows, as bytes that are equal if the columns consider the values equal; `nil` if nothing makes it the
  /// same as others.
  package func identity(of numbering: Numbering, _ tables: [NumberedTable]) -> [UInt8]? {
    let table = tables[numbering.table]
    let columns = table.identifying
    guard !numbering.identity.isEmpty,
      !table.isIdentified
        || numbering.identity.count == columns.count && !numbering.identity.contains(.null)
    else { return nil }
    let values = numbering.rootedValues(table).map { value, root in
      guard let root, let number = value.rowNumber else { return value }
      let shared = SharedNumber(table: root, number: number)
      let meant = self.number(shared, meantBy: numbering.transaction, joins: false, formerly: false)
      return meant == number ? value : value.replacing(rowNumber: meant)
    }
    if !table.isIdentified {
      // Devices that run the same migration write values that are equal bit by bit.
      var bytes = ByteBuffer()
      for value in values { bytes.append(value) }
      return Array(bytes.bytes)
    }
    // Only NULL is not a key.
    return try? KeyProbe.bytes(values, columns.map(\.collation))
  }

  /// Treats the added numberings as known.
  package mutating func settle() {
    formerIdentities = nil
    formerNegative.removeAll()
    formerPositive = nil
  }

  /// Whether any rows may be the same because of their values.
  package var identifies: Bool { !identified.isEmpty }

  /// Whether numberings have been added since `settle`.
  package var hasNews: Bool { !formerNegative.isEmpty || formerPositive != nil }

  /// The numbers that may mean other numbers.
  package var names: Set<SharedNumber> {
    Set(negative.keys).union(origins.keys).union(positive.names)
  }

  package func numberings(_ number: SharedNumber) -> [Numbering] {
    negative[number]?.history.entries.map(\.numbering) ?? positive.numberings(number)
  }

  /// Whether an insert under that number brings back a row that once lost its own number.
  package func bringsBack(_ number: SharedNumber) -> Bool { origins[number] != nil }

  /// Whether a number belongs to a row that once lost its own number, rather than to the rows to which SQLite
  /// gives the number.
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

  /// Returns the first number of the row that has a fresh number; the number itself if it is not fresh.
  private func home(
    _ shared: SharedNumber, for transaction: BatchTransaction, formerly: Bool
  ) -> Int64 {
    guard let number = origins[shared] else { return shared.number }
    let home = negative(SharedNumber(table: shared.table, number: number), formerly: formerly)
    switch home?.owner(ofFresh: shared.number) {
    case .first: return home?.firstNumber ?? shared.number
    case .numbering(let numbering):
      return self.number(shared, of: numbering, for: transaction, formerly: formerly)
    case nil: return shared.number
    }
  }

  /// Returns what a number means to the author of a transaction, for whom it is the number of a numbering's
  /// row; the number itself, which then means no row, if the author had already seen that row under another
  /// number.
  private func number(
    _ shared: SharedNumber, of numbering: Numbering, for transaction: BatchTransaction,
    formerly: Bool
  ) -> Int64 {
    let identities = formerly ? formerIdentities ?? identities : identities
    return identities.hasLeft(numbering, for: transaction)
      ? shared.number : number(of: numbering, formerly: formerly)
  }

  /// Returns the number of a numbering's row, in a table whose displaced rows take negative numbers.
  private func number(of numbering: Numbering, formerly: Bool) -> Int64 {
    let identities = formerly ? formerIdentities ?? identities : identities
    let root = identities.root(of: numbering)
    return negative(root.name, formerly: formerly)?.number(of: root) ?? root.number
  }

  /// Returns the number of the row that a transaction means by a number.
  ///
  /// - Parameters:
  ///   - joins: whether the change is of a row of a database that joined the logs.
  ///   - formerly: whether to ignore the numberings added since `settle`.
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
    return known.numbering(meantBy: transaction)
      .map { number(shared, of: $0, for: transaction, formerly: formerly) } ?? known.firstNumber
  }

  /// Returns the number of a row that a transaction inserts; its own number if it has not collided with
  /// another row.
  package func number(
    _ shared: SharedNumber, numberedBy transaction: BatchTransaction, formerly: Bool
  ) -> Int64 {
    let positive = positive(formerly: formerly)
    if positive.concerns(shared.table) { return positive.number(shared, numberedBy: transaction) }
    guard let known = negative(shared, formerly: formerly) else {
      return home(shared, for: transaction, formerly: formerly)
    }
    return known.numbering(in: transaction).map { number(of: $0, formerly: formerly) }
      ?? known.placeOfInsert(in: transaction)
  }

  /// The numbers that were taken over, each with the fresh number of the row that has it now: to an author
  /// who has seen nothing, the number itself means another row.
  package var namesOfTakenNumbers: [SharedNumber: Int64] {
    var names: [SharedNumber: Int64] = [:]
    for (shared, known) in negative where known.firstNumber != shared.number {
      names[shared] = known.freshNumber(ofLast: {
        number(of: $0, formerly: false) == shared.number
      })
    }
    return names
  }

  /// Returns the fresh numbers of the rows whose numbers a transaction takes over.
  ///
  /// - Returns: the fresh numbers, except those for which other rows would have to make room. `isThere` says
  ///   whether there are any rows under a number.
  func numbers(
    of taken: [SharedNumber], afterTakeoverBy transaction: BatchTransaction,
    tables: [NumberedTable], isThere: (Set<SharedNumber>) throws -> Bool
  ) rethrows -> [SharedNumber: Int64] {
    var after = self
    after.settle()
    after.add(
      taken.map {
        Numbering(table: $0.table, number: $0.number, transaction: transaction, content: nil)
      }, tables: tables)
    let isInTheWay =
      try after.moved.contains {
        // Rows other than those whose numbers are taken.
        tables[$0.table].positiveBits != nil
          && (!taken.contains($0.name)
            || after.number($0.name, numberedBy: $0.transaction, formerly: true) != $0.number)
      }
      || after.movedFirstHolders.contains { !taken.contains($0) }
      || isThere(after.shiftedNumbers)
    var numbers: [SharedNumber: Int64] = [:]
    for shared in taken {
      if tables[shared.table].positiveBits == nil {
        numbers[shared] =
          negative[shared]?.numberAfterTakeover(by: transaction)
          ?? FreshNumber.number(
            table: tables[shared.table].name, key: shared.number, numbering: nil)
      } else if !isInTheWay {
        let place = positive.placeAfterTakeover(of: shared, by: transaction)
        numbers[shared] = after.positive.number(place, of: shared)
      }
    }
    return numbers
  }

  /// The numberings whose numbers differ from those before the last numberings were added.
  package var moved: [Numbering] {
    var numberings = formerNegative.keys.flatMap { number in
      self.negative[number]?.history.entries.map(\.numbering) ?? []
    }
    if formerIdentities != nil {
      numberings += identified.filter { formerNegative[$0.name] == nil }
    }
    // A numbering that was the only one had its number.
    let negative = numberings.filter {
      number($0.name, numberedBy: $0.transaction, formerly: false)
        != number($0.name, numberedBy: $0.transaction, formerly: true)
    }
    guard let formerPositive else { return negative }
    return negative
      + positive.allNumberings.filter {
        positive.number($0.name, numberedBy: $0.transaction)
          != formerPositive.number($0.name, numberedBy: $0.transaction)
      }
  }

  /// Whether rows without known numberings have other numbers than before; any transaction may refer to such
  /// rows.
  package var movesFirstHolders: Bool {
    let movesNegative = formerNegative.contains { number, old in
      negative[number].map { $0.firstNumber != old?.firstNumber ?? number.number } ?? false
    }
    return movesNegative || !movedFirstHolders.isEmpty
  }

  /// The first holders that moved, of tables with positive numbers.
  private var movedFirstHolders: Set<SharedNumber> {
    formerPositive.map { positive.movedFirstHolders(since: $0) } ?? []
  }

  /// The numbers whose rows now have other numbers although none of their numberings is known: the rows have
  /// made room, or are back.
  package var shiftedNumbers: Set<SharedNumber> {
    formerPositive.map { positive.formerResidences(since: $0) } ?? []
  }
}
