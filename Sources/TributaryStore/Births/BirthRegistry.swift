import TributaryCore

/// The rows that were given one number, and which of them have it.
///
/// Births that are added change what is known of their own numbers alone. Until `settle`, it can also
/// say what numbers meant without them.
public struct BirthRegistry: Sendable {
  private var histories: [SharedNumber: NumberHistory] = [:]
  /// By fresh number, whether its row has it or not: the number that the row was born with.
  private var origins: [SharedNumber: Int64] = [:]
  /// What `histories` had before the last births were added, where that is something else; `nil` where
  /// nothing was known.
  private var former: [SharedNumber: NumberHistory?] = [:]
  /// How many numbers have been worked out, for those who want to know what it costs.
  package private(set) var workCount = 0

  public init() {}

  /// - Parameter names: of the tables.
  public init(_ births: [Birth], names: [String]) {
    add(births, names: names)
    settle()
  }

  public var isEmpty: Bool { histories.isEmpty }

  /// - Complexity: as many numbers are worked out as `births` have.
  public mutating func add(_ births: [Birth], names: [String]) {
    var grouped: [SharedNumber: [Birth]] = [:]
    for birth in births {
      grouped[SharedNumber(table: birth.table, number: birth.number), default: []].append(birth)
    }
    for (shared, births) in grouped {
      if former[shared] == nil { former.updateValue(histories[shared], forKey: shared) }
      let ordered = (self.births(shared) + births).sorted {
        $0.transaction.stamp < $1.transaction.stamp
      }
      let history = NumberHistory(shared.number, ordered, table: names[shared.table])
      histories[shared] = history
      var fresh = history.entries.map(\.fresh)
      if history.hasTakeovers { fresh.append(history.firstFresh) }
      for number in fresh {
        origins[SharedNumber(table: shared.table, number: number)] = shared.number
      }
      workCount += 1
    }
  }

  /// What was added belongs to what is known.
  public mutating func settle() { former.removeAll() }

  package func births(_ number: SharedNumber) -> [Birth] {
    histories[number]?.entries.map(\.birth) ?? []
  }

  /// Whether a row under that number is one that has lost its own at some time, rather than a new
  /// one.
  package func isFresh(_ number: SharedNumber) -> Bool { origins[number] != nil }

  private func history(_ number: SharedNumber, formerly: Bool) -> NumberHistory? {
    if formerly, let known = former[number] { return known }
    return histories[number]
  }

  /// The number of the row that has or had a fresh one; the number itself where it is none.
  private func home(_ shared: SharedNumber, formerly: Bool) -> Int64 {
    guard let number = origins[shared] else { return shared.number }
    let home = SharedNumber(table: shared.table, number: number)
    return history(home, formerly: formerly)?.home(ofFresh: shared.number) ?? shared.number
  }

  /// The number of the row that a transaction means by a number.
  ///
  /// - Parameter formerly: without the births that were added since `settle`.
  package func number(
    _ shared: SharedNumber, meantBy transaction: BatchTransaction, formerly: Bool
  ) -> Int64 {
    history(shared, formerly: formerly)?.meaning(by: transaction)
      ?? home(shared, formerly: formerly)
  }

  /// The number of a row that a transaction inserts; its own one when it has met no other, yet.
  package func number(
    _ shared: SharedNumber, bornIn transaction: BatchTransaction, formerly: Bool
  ) -> Int64 {
    history(shared, formerly: formerly)?.birthplace(in: transaction)
      ?? home(shared, formerly: formerly)
  }

  /// The fresh number that a row gets whose number a transaction takes over.
  package func number(
    of shared: SharedNumber, afterTakeoverBy transaction: BatchTransaction, name: String
  ) -> Int64 {
    histories[shared]?.numberAfterTakeover(by: transaction)
      ?? FreshNumber.number(table: name, key: shared.number, birth: nil)
  }

  /// The births that have another number than they had before the last ones were added.
  public var moved: [Birth] {
    former.flatMap { number, old in
      (histories[number]?.entries ?? []).filter { entry in
        // One that was alone had its number.
        entry.number != old?.birthplace(in: entry.birth.transaction) ?? entry.birth.number
      }.map(\.birth)
    }
  }

  /// Whether rows have another number of whose births nothing is known: any transaction may speak of
  /// them.
  public var movesFirstHolders: Bool {
    former.contains { number, old in
      histories[number].map { $0.firstNumber != old?.firstNumber ?? number.number } ?? false
    }
  }
}
