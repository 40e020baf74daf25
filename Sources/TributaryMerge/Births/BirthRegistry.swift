import TributaryCore
import TributaryStore

/// The rows that were given one number, and which of them have it.
///
/// Births that are added change what is known of their own numbers alone. Until `settle`, it can also
/// say what numbers meant without them.
public struct BirthRegistry: Sendable {
  private struct Entry {
    var birth: Birth
    var isDisplaced: Bool
    var fresh: Int64

    /// The number that the row has.
    var number: Int64 { isDisplaced ? fresh : birth.number }
  }

  /// In ascending order of stamp.
  private var entries: [SharedNumber: [Entry]] = [:]
  /// By fresh number, whether its row has it or not: the number that the row was born with.
  private var origins: [SharedNumber: Int64] = [:]
  /// What `entries` had before the last births were added, where that is something else.
  private var former: [SharedNumber: [Entry]] = [:]
  /// How many numbers have been worked out, for those who want to know what it costs.
  package private(set) var workCount = 0

  public init() {}

  /// - Parameter names: of the tables.
  public init(_ births: [Birth], names: [String]) {
    add(births, names: names)
    settle()
  }

  public var isEmpty: Bool { entries.isEmpty }

  /// - Complexity: as many numbers are worked out as `births` have.
  public mutating func add(_ births: [Birth], names: [String]) {
    var grouped: [SharedNumber: [Birth]] = [:]
    for birth in births {
      grouped[SharedNumber(table: birth.table, number: birth.number), default: []].append(birth)
    }
    for (number, births) in grouped {
      let known = entries[number] ?? []
      if former[number] == nil { former[number] = known }
      let ordered = (known.map(\.birth) + births).sorted {
        $0.transaction.stamp < $1.transaction.stamp
      }
      entries[number] = zip(ordered, Self.displaced(ordered)).map { birth, isDisplaced in
        Entry(
          birth: birth, isDisplaced: isDisplaced,
          fresh: FreshNumber.number(
            table: names[birth.table], key: birth.number, birth: birth.stamp))
      }
      for entry in entries[number] ?? [] {
        origins[SharedNumber(table: number.table, number: entry.fresh)] = number.number
      }
      workCount += 1
    }
  }

  /// What was added belongs to what is known.
  public mutating func settle() { former.removeAll() }

  /// Which of them lose the number, in their order: those that an earlier one, which has it, met by
  /// accident.
  private static func displaced(_ births: [Birth]) -> [Bool] {
    var displaced: [Bool] = []
    for (position, birth) in births.enumerated() {
      displaced.append(
        births[..<position].enumerated().contains {
          !displaced[$0] && $1.isAccident(with: birth)
        })
    }
    return displaced
  }

  func births(_ number: SharedNumber) -> [Birth] { entries[number, default: []].map(\.birth) }

  /// Whether a row under that number is one that has been displaced at some time, rather than a new
  /// one.
  func isFresh(_ number: SharedNumber) -> Bool { origins[number] != nil }

  private func list(_ number: SharedNumber, formerly: Bool) -> [Entry]? {
    guard formerly, let list = former[number] else { return entries[number] }
    return list.isEmpty ? nil : list
  }

  /// The number of the row that has or had a fresh one; the number itself where it is none.
  private func home(_ shared: SharedNumber, formerly: Bool) -> Int64 {
    guard let number = origins[shared],
      let list = list(SharedNumber(table: shared.table, number: number), formerly: formerly)
    else { return shared.number }
    return list.first { $0.fresh == shared.number }?.number ?? shared.number
  }

  /// The number of the row that a transaction means by a number.
  ///
  /// - Parameter formerly: without the births that were added since `settle`.
  func number(
    _ shared: SharedNumber, meantBy transaction: BatchTransaction, formerly: Bool
  ) -> Int64 {
    guard let entries = list(shared, formerly: formerly) else {
      return home(shared, formerly: formerly)
    }
    let seen = entries.indices.filter {
      let side = entries[$0].birth.transaction.side
      return transaction.saw(side)
        || side.peer == transaction.side.peer && side.sequence == transaction.side.sequence
    }
    let displaced = Self.displaced(seen.map { entries[$0].birth })
    guard let place = displaced.lastIndex(of: false) else { return shared.number }
    return entries[seen[place]].number
  }

  /// The number of a row that a transaction inserts; its own one when it has met no other, yet.
  func number(
    _ shared: SharedNumber, bornIn transaction: BatchTransaction, formerly: Bool
  ) -> Int64 {
    list(shared, formerly: formerly)?.first { $0.birth.transaction.side == transaction.side }?
      .number ?? home(shared, formerly: formerly)
  }

  /// The births that have another number than they had before the last ones were added.
  public var moved: [Birth] {
    former.flatMap { number, old in
      (entries[number] ?? []).filter { entry in
        let side = entry.birth.transaction.side
        let known = old.first { $0.birth.transaction.side == side }
        // One that was alone had its number.
        return (known?.isDisplaced ?? false) != entry.isDisplaced
      }.map(\.birth)
    }
  }
}
