internal import TributaryCore

/// The rows of tables whose displaced rows take positive numbers, which applications may also give.
///
/// A displaced row is the *guest* of the number that it has now. An author who gives that number without
/// having seen the guest there means another row, a *resident*, which lives elsewhere in the meantime.
struct PositiveNumbers {
  /// A row that comes to live under another number.
  enum Guest: Hashable {
    case first(ReferenceNumber)
    case numbered(ReferenceNumber, ReferenceSide)
    /// All rows meant by a number by authors who have not seen its guest.
    case residents(ReferenceNumber)
  }

  typealias Guests = [ReferenceNumber: Guest]

  /// The numberings under a number whose authors have seen the same guest there, or none.
  private struct Host: Hashable {
    var name: ReferenceNumber
    var guest: Guest?
  }

  private let schema: ReferenceSchema
  private let fresh: FreshNumbers
  private var households: [Host: Household] = [:]
  /// The numberings in ascending order of stamp, each with its host.
  private var numberings: [(numbering: Numbering, host: Host)] = []
  /// The guests of all numbers, based on everything that is known.
  private(set) var guests = Guests()

  init(_ schema: ReferenceSchema, _ fresh: @escaping FreshNumbers) {
    self.schema = schema
    self.fresh = fresh
  }

  /// Adds a numbering.
  ///
  /// - Precondition: it comes after the others in the order of stamps.
  mutating func add(_ numbering: Numbering) {
    var numbering = numbering
    let guests = guests(in: numbering.name.table, seenBy: numbering.transaction)
    let host = Host(name: numbering.name, guest: guest(of: numbering.name, guests))
    // A guest's number is not taken over.
    if host.guest != nil { numbering.takesOver = false }
    households[host, default: Household()].numberings.append(numbering)
    numberings.append((numbering, host))
  }

  /// Settles the guests. Must be called when all numberings have been added.
  mutating func settle() {
    for table in Set(numberings.map(\.numbering.name.table)) {
      guests.merge(guests(in: table) { $0 }) { $1 }
    }
  }

  // MARK: Guests

  /// Returns the guests of the numbers of a table, for the author of a transaction.
  func guests(in table: String, seenBy transaction: ReferenceTransaction) -> Guests {
    guests(in: table) { $0.seen(by: transaction) }
  }

  /// Returns the guests. A displaced row takes the first of its choices that no earlier row has. First
  /// holders come first, then numberings in the order of stamps, then in the order of numbers.
  private func guests(
    in table: String, _ view: (Household) -> Household
  ) -> Guests {
    var guests = Guests()
    func receive(_ guest: Guest, from name: ReferenceNumber, _ numbering: Numbering?) {
      let choices = choices(name, numbering).map { ReferenceNumber(table: table, number: $0) }
      let place = choices.first { guests[$0] == nil } ?? choices[choices.count - 1]
      guests[place] = guest
    }
    let here = households.filter { $0.key.name.table == table }
    let residents = here.filter { $0.key.guest == nil }
    for (host, household) in residents.sorted(by: { $0.key.name.number < $1.key.name.number }) {
      if case .first = view(household).place(of: .first) {
        receive(.first(host.name), from: host.name, nil)
      }
    }
    let ordered = numberings.filter { $0.numbering.name.table == table }.sorted {
      ($0.numbering.transaction.stamp, $0.numbering.name.number)
        < ($1.numbering.transaction.stamp, $1.numbering.name.number)
    }
    for (numbering, host) in ordered {
      let household = view(households[host]!)
      guard household.numberings.contains(where: { $0.identity == numbering.identity }),
        case .numbered(let displaced) = household.place(of: numbering),
        displaced.identity == numbering.identity
      else { continue }
      receive(.numbered(numbering.name, numbering.identity), from: numbering.name, numbering)
    }
    return guests
  }

  /// Returns the numbers that a displaced row may get.
  private func choices(_ name: ReferenceNumber, _ numbering: Numbering?) -> [Int64] {
    let fresh = fresh(name.table, name.number, numbering?.transaction)
    let bits = schema[name.table].positiveBits!
    let factors: [UInt64] = [
      0x9E37_79B9_7F4A_7C15, 0xC2B2_AE3D_27D4_EB4F, 0x1656_67B1_9E37_79F9, 0x27D4_EB2F_1656_67C5,
    ]
    return factors.map { factor in
      let hash = UInt64(bitPattern: -1 - fresh) &* factor
      return Int64((1 as UInt64) << UInt64(bits) + hash >> UInt64(64 - bits))
    } + [fresh]
  }

  /// Returns the number under which the residents of a number with a guest live.
  private func annex(of name: ReferenceNumber) -> ReferenceNumber {
    // A negative number never belongs to anyone but its guest.
    if name.number < 0 { return name }
    let bits = schema[name.table].positiveBits!
    let number = name.number + 1 << bits
    return ReferenceNumber(
      table: name.table,
      number: number < 4 << bits ? number : -1 - 1 << 52 - name.number)
  }

  /// Returns the row that lives under a number that it was not given.
  private func guest(of name: ReferenceNumber, _ guests: Guests) -> Guest? {
    if let guest = guests[name] { return guest }
    // Residents that live elsewhere are guests there; the residents of that number make room too.
    for start in guests.keys where start.number >= 0 {
      var place = start
      while place.number >= 0 {
        let next = annex(of: place)
        if next == name { return .residents(place) }
        place = next
      }
    }
    return nil
  }

  // MARK: Places

  private func number(_ guest: Guest) -> Int64 {
    switch guest {
    case .residents(let name): return residence(of: name).number
    case .first(let name):
      let host = Host(name: name, guest: nil)
      return number(households[host]!.place(of: .first), host)
    case .numbered(let name, let side):
      let (numbering, host) = numberings.first {
        $0.numbering.name == name && $0.numbering.identity == side
      }!
      return number(households[host]!.place(of: numbering), host)
    }
  }

  /// Returns the current number of the rows that were there before any guest.
  private func residence(of name: ReferenceNumber) -> ReferenceNumber {
    guest(of: name, guests) == nil ? name : annex(of: name)
  }

  private func number(_ place: Household.Place, _ host: Host) -> Int64 {
    let guest: Guest
    switch place {
    case .same: return host.guest.map(number) ?? residence(of: host.name).number
    case .first: guest = .first(host.name)
    case .numbered(let numbering): guest = .numbered(host.name, numbering.identity)
    }
    return guests.first { $0.value == guest }!.key.number
  }

  /// Returns the number of the row that the author of a transaction meant by a number.
  ///
  /// - Parameter seen: the guests of the table for the author.
  func meaning(
    of name: ReferenceNumber, by transaction: ReferenceTransaction, _ seen: Guests
  ) -> Int64 {
    let host = Host(name: name, guest: guest(of: name, seen))
    guard let household = households[host] else { return number(.same, host) }
    return number(
      household.meaning(by: transaction).map(household.place(of:)) ?? household.place(of: .first),
      host)
  }
}
