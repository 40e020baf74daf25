import TributaryCore
import TributaryStore

/// The rows that were given one number, and which of them have it.
public struct BirthRegistry: Sendable {
  private struct Entry {
    var birth: Birth
    var isDisplaced: Bool
    var fresh: Int64
  }

  /// In ascending order of stamp.
  private var entries: [SharedNumber: [Entry]] = [:]
  /// By fresh number, whether its row has it or not: the number that it has.
  private var homes: [SharedNumber: Int64] = [:]

  public init() {}

  /// - Parameter names: of the tables.
  public init(_ births: [Birth], names: [String]) {
    var grouped: [SharedNumber: [Birth]] = [:]
    for birth in births {
      grouped[SharedNumber(table: birth.table, number: birth.number), default: []].append(birth)
    }
    for (number, births) in grouped {
      let ordered = births.sorted { $0.transaction.stamp < $1.transaction.stamp }
      let displaced = Self.displaced(ordered)
      entries[number] = zip(ordered, displaced).map { birth, isDisplaced in
        Entry(
          birth: birth, isDisplaced: isDisplaced,
          fresh: FreshNumber.number(
            table: names[birth.table], key: birth.number, birth: birth.stamp))
      }
      for entry in entries[number] ?? [] {
        homes[SharedNumber(table: number.table, number: entry.fresh)] =
          entry.isDisplaced ? entry.fresh : number.number
      }
    }
  }

  public var isEmpty: Bool { entries.isEmpty }

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
  func isFresh(_ number: SharedNumber) -> Bool { homes[number] != nil }

  /// The number of the row that a transaction means by a number.
  func number(_ shared: SharedNumber, meantBy transaction: BatchTransaction) -> Int64 {
    guard let entries = entries[shared] else { return homes[shared] ?? shared.number }
    let seen = entries.indices.filter {
      let side = entries[$0].birth.transaction.side
      return transaction.saw(side)
        || side.peer == transaction.side.peer && side.sequence == transaction.side.sequence
    }
    let displaced = Self.displaced(seen.map { entries[$0].birth })
    guard let place = displaced.lastIndex(of: false) else { return shared.number }
    let entry = entries[seen[place]]
    return entry.isDisplaced ? entry.fresh : shared.number
  }

  /// The number of a row that a transaction inserts; its own one when it has met no other, yet.
  func number(_ shared: SharedNumber, bornIn transaction: BatchTransaction) -> Int64 {
    let entry = entries[shared]?.first { $0.birth.transaction.side == transaction.side }
    return entry.map { $0.isDisplaced ? $0.fresh : shared.number } ?? homes[shared]
      ?? shared.number
  }

  /// The births that have another number than they had in `former`, and were known there.
  func moved(since former: BirthRegistry) -> [Birth] {
    entries.flatMap { number, list in
      list.filter { entry in
        let side = entry.birth.transaction.side
        let old = former.entries[number]?.first { $0.birth.transaction.side == side }
        // One that was alone had its number.
        return (old?.isDisplaced ?? false) != entry.isDisplaced
      }.map(\.birth)
    }
  }
}
