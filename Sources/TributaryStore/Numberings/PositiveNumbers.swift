import TributaryCore

/// The rows of tables whose displaced rows take positive numbers, which applications may also assign.
///
/// A displaced row is the *guest* of the number that it has now. An author who assigns that number without
/// having seen the guest there means another row: a *resident*, which lives elsewhere in the meantime.
struct PositiveNumbers {
  /// A row that lives under a number that may also have been given to other rows.
  enum Guest: Hashable {
    case first(SharedNumber)
    case numbered(SharedNumber, Conflict.Side)
    /// All rows that a number means to authors who have not seen its guest.
    case residents(SharedNumber)
  }

  /// The numberings of a number whose authors have seen the same guest there, or none.
  private struct Host: Hashable {
    var name: SharedNumber
    var guest: Guest?
  }

  private var tables: [NumberedTable] = []
  /// The numberings, in ascending order of stamp.
  private var numberings: [SharedNumber: [Numbering]] = [:]
  /// The guests by number and numbering, excluding numberings whose authors saw no guest there.
  private var hosts: [SharedNumber: [Conflict.Side: Guest]] = [:]
  private var histories: [Host: NumberHistory] = [:]
  /// For each number, the rows that may come to live there. A row's further choices appear only if its first
  /// choice also belongs to another row.
  private var candidates: [SharedNumber: [Guest]] = [:]

  var isEmpty: Bool { numberings.isEmpty }

  /// Whether numberings of a table are known.
  func concerns(_ table: Int) -> Bool {
    tables.indices.contains(table) && tables[table].positiveBits != nil
  }

  /// The number of numbers with numberings.
  var count: Int { numberings.count }

  /// Adds numberings.
  ///
  /// - Complexity: O(all numberings).
  mutating func add(_ new: [Numbering], tables: [NumberedTable]) {
    self.tables = tables
    for numbering in new { numberings[numbering.name, default: []].append(numbering) }
    for name in Set(new.map(\.name)) { numberings[name]?.sort { $0.stamp < $1.stamp } }
    nominate(new)
    hosts.removeAll()
    // Which guests an author has seen follows from earlier numberings alone.
    for numbering in numberings.values.joined().sorted(by: { $0.stamp < $1.stamp }) {
      guard let guest = guest(of: numbering.name, seenBy: numbering.transaction) else { continue }
      hosts[numbering.name, default: [:]][numbering.transaction.side] = guest
    }
    histories.removeAll()
    for (name, numberings) in numberings {
      for (guest, group) in Dictionary(grouping: numberings, by: host(of:)) {
        histories[Host(name: name, guest: guest)] = NumberHistory(
          group, mayBeTakenOver: guest == nil)
      }
    }
  }

  /// The numbers that may mean other numbers.
  var names: Set<SharedNumber> { Set(numberings.keys).union(candidates.keys) }

  func numberings(_ name: SharedNumber) -> [Numbering] { numberings[name] ?? [] }

  var allNumberings: some Sequence<Numbering> { numberings.values.lazy.joined() }

  private func host(of numbering: Numbering) -> Guest? {
    hosts[numbering.name]?[numbering.transaction.side]
  }

  // MARK: Choices

  private static let choiceCount = FreshNumber.positiveCount + 1

  /// Returns a number that a displaced row may get; the last choice is negative.
  private func choice(_ level: Int, of guest: Guest) -> SharedNumber {
    let (name, stamp): (SharedNumber, Stamp?) =
      switch guest {
      case .first(let name): (name, nil)
      case .numbered(let name, let side): (name, Stamp(time: side.time, peer: side.peer))
      case .residents: preconditionFailure("residents do not choose")
      }
    let table = tables[name.table]
    let fresh = FreshNumber.number(table: table.name, key: name.number, numbering: stamp)
    return SharedNumber(
      table: name.table,
      number: level < FreshNumber.positiveCount
        ? FreshNumber.positive(fresh, choice: level, bits: bits(of: name)) : fresh)
  }

  private func bits(of name: SharedNumber) -> Int {
    guard let bits = tables[name.table].positiveBits else {
      preconditionFailure("a table with negative numbers")
    }
    return bits
  }

  private mutating func nominate(_ new: [Numbering]) {
    for numbering in new {
      nominate(.numbered(numbering.name, numbering.transaction.side), 0)
      if numbering.takesOver { nominate(.first(numbering.name), 0) }
    }
  }

  private mutating func nominate(_ guest: Guest, _ level: Int) {
    let number = choice(level, of: guest)
    let others = candidates[number] ?? []
    if others.contains(guest) { return }
    candidates[number] = others + [guest]
    guard !others.isEmpty else { return }
    // A row that does not get this number may want any of the other choices.
    for guest in others + [guest] {
      for level in 1..<Self.choiceCount { nominate(guest, level) }
    }
  }

  // MARK: Guests

  /// Whether a guest chooses before another one: first holders, then numberings in order of stamp.
  private static func precedes(_ a: Guest, _ b: Guest) -> Bool {
    switch (a, b) {
    case (.first(let a), .first(let b)): a.number < b.number
    case (.first, _): true
    case (.numbered(let a, let mine), .numbered(let b, let other)):
      (mine.time, mine.peer, a.number) < (other.time, other.peer, b.number)
    default: false
    }
  }

  /// Whether a row lacks the number that it was given.
  ///
  /// - Parameter view: the transaction whose author's knowledge counts; without one, everything
  ///   known counts.
  private func isDisplaced(_ guest: Guest, _ view: BatchTransaction?) -> Bool {
    switch guest {
    case .residents(let name): return self.guest(of: name, view) != nil
    case .first(let name):
      return numberings(name).contains { numbering in
        numbering.takesOver && host(of: numbering) == nil
          && view?.saw(numbering.transaction.side) ?? true
      }
    case .numbered(let name, let side):
      let guest = hosts[name]?[side]
      guard let view else {
        let history = histories[Host(name: name, guest: guest)]
        return history?.position(of: side).map { history?.entries[$0].isDisplaced ?? false }
          ?? false
      }
      guard view.saw(side) else { return false }
      let seen = numberings(name).filter {
        host(of: $0) == guest && view.saw($0.transaction.side)
      }
      if seen.count == 1 { return false }
      let history = NumberHistory(seen, mayBeTakenOver: guest == nil)
      return history.position(of: side).map { history.entries[$0].isDisplaced } ?? false
    }
  }

  /// Whether a row has tried to live under a number.
  private func wants(_ guest: Guest, _ name: SharedNumber, _ view: BatchTransaction?) -> Bool {
    guard isDisplaced(guest, view) else { return false }
    for level in 0..<Self.choiceCount {
      let choice = choice(level, of: guest)
      if choice == name { return true }
      if !isTaken(choice, from: guest, view) { return false }
    }
    return false
  }

  private func isTaken(
    _ name: SharedNumber, from guest: Guest, _ view: BatchTransaction?
  ) -> Bool {
    candidates[name]?.contains { Self.precedes($0, guest) && wants($0, name, view) } ?? false
  }

  /// Returns the row that lives under a number without having been given it.
  private func guest(of name: SharedNumber, _ view: BatchTransaction?) -> Guest? {
    if let candidates = candidates[name] {
      let wanting = candidates.filter { wants($0, name, view) }
      if let first = wanting.min(by: Self.precedes) { return first }
    }
    // Residents who live elsewhere are guests there; the residents of that place make room in turn.
    guard let former = resident(ofAnnex: name), guest(of: former, view) != nil else { return nil }
    return .residents(former)
  }

  private func guest(of name: SharedNumber, seenBy transaction: BatchTransaction) -> Guest? {
    guest(of: name, transaction)
  }

  /// Whether a number belongs to a row that was given another number.
  func hasGuest(_ name: SharedNumber) -> Bool { guest(of: name, nil) != nil }

  // MARK: Residents

  /// Returns the number under which the residents of a number with a guest live.
  private func annex(of name: SharedNumber) -> SharedNumber {
    let step = Int64(1) << bits(of: name)
    let number = name.number + step
    return SharedNumber(
      table: name.table,
      number: number < 4 * step ? number : FreshNumber.beyond(name.number))
  }

  /// Returns the number whose residents live under this one.
  private func resident(ofAnnex name: SharedNumber) -> SharedNumber? {
    guard let bits = tables.indices.contains(name.table) ? tables[name.table].positiveBits : nil
    else { return nil }
    let step = Int64(1) << bits
    let former = name.number < 0 ? FreshNumber.beyond(name.number) : name.number - step
    let range = name.number < 0 ? 3 * step..<4 * step : step..<3 * step
    return range.contains(former) ? SharedNumber(table: name.table, number: former) : nil
  }

  /// Returns the current number of the rows that were there before any guest.
  private func residence(of name: SharedNumber) -> SharedNumber {
    // A negative number never belongs to any row but its guest.
    name.number >= 0 && hasGuest(name) ? annex(of: name) : name
  }

  // MARK: Numbers

  /// Returns the fresh number of a displaced row.
  private func freshNumber(of guest: Guest) -> Int64 {
    let last = Self.choiceCount - 1
    let level = (0..<last).first { !isTaken(choice($0, of: guest), from: guest, nil) } ?? last
    return choice(level, of: guest).number
  }

  private func number(of guest: Guest) -> Int64 {
    switch guest {
    case .residents(let name): return residence(of: name).number
    case .first(let name):
      let host = Host(name: name, guest: nil)
      return number(histories[host]?.firstPlace ?? .same, host)
    case .numbered(let name, let side):
      let host = Host(name: name, guest: hosts[name]?[side])
      guard let history = histories[host], let position = history.position(of: side) else {
        preconditionFailure("a numbering without a history")
      }
      return number(history.place(of: position), host)
    }
  }

  private func number(_ place: NumberHistory.Place, _ host: Host) -> Int64 {
    switch place {
    case .same: return host.guest.map(number(of:)) ?? residence(of: host.name).number
    case .first: return freshNumber(of: .first(host.name))
    case .entry(let position):
      guard let entry = histories[host]?.entries[position] else {
        preconditionFailure("an entry without a history")
      }
      return freshNumber(of: .numbered(host.name, entry.numbering.transaction.side))
    }
  }

  /// Returns the number of the row that a transaction means by a number.
  ///
  /// - Parameter joins: whether the change concerns rows of a database that joined the logs; its numbers mean
  ///   the rows that it showed.
  func number(
    _ name: SharedNumber, meantBy transaction: BatchTransaction, joins: Bool
  ) -> Int64 {
    let host = Host(name: name, guest: guest(of: name, joins ? nil : transaction))
    return number(histories[host]?.meaning(by: transaction) ?? .same, host)
  }

  /// Returns the number of a row that a transaction inserts.
  func number(_ name: SharedNumber, numberedBy transaction: BatchTransaction) -> Int64 {
    let host = Host(name: name, guest: guest(of: name, seenBy: transaction))
    return number(histories[host]?.placeOfInsert(in: transaction) ?? .same, host)
  }

  /// Returns the place to which the row of a takeover's author moves, under a number without a guest.
  func placeAfterTakeover(
    of name: SharedNumber, by transaction: BatchTransaction
  ) -> NumberHistory.Place {
    histories[Host(name: name, guest: nil)]?.placeAfterTakeover(by: transaction) ?? .first
  }

  /// Returns the number of a place under a number without a guest.
  func number(_ place: NumberHistory.Place, of name: SharedNumber) -> Int64 {
    number(place, Host(name: name, guest: nil))
  }

  // MARK: Changes

  /// Returns the numbers whose first holders had other numbers in another state.
  func movedFirstHolders(since former: PositiveNumbers) -> Set<SharedNumber> {
    let names = numberings.filter { $0.value.contains(where: \.takesOver) }.keys
    return Set(names.filter { firstFreshNumber($0) != former.firstFreshNumber($0) })
  }

  /// Returns the number that the first holder of a number has instead of it.
  private func firstFreshNumber(_ name: SharedNumber) -> Int64? {
    isDisplaced(.first(name), nil) ? freshNumber(of: .first(name)) : nil
  }

  /// Returns the numbers under which residents lived in another state if they now live elsewhere.
  func formerResidences(since former: PositiveNumbers) -> Set<SharedNumber> {
    var numbers: Set<SharedNumber> = []
    for name in Set(candidates.keys).union(former.candidates.keys)
    where hasGuest(name) != former.hasGuest(name) {
      var place = former.residence(of: name)
      numbers.insert(place)
      // These are the rows that make room for them, or no longer need to.
      while place.number >= 0 {
        place = annex(of: place)
        numbers.insert(place)
      }
    }
    return numbers
  }
}
