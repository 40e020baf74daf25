import TributaryContainer
import TributaryCore
import TributaryHorizon
import TributarySQLite
import TributaryStore

/// What a store remembers about who can read what it writes above a horizon.
struct HorizonReaders {
  /// The identifier of the declaration all of whose members read segments above horizons.
  var declaration: UInt64?
  /// Whether there may be segments above the horizon of an earlier declaration. They have to be written
  /// again, since devices forget that declaration and its baselines are removed.
  var isRewritingDue = false

  private static let due = "due"

  init(_ connection: Connection) throws {
    for word in (try Settings(connection).text(.horizonReaders) ?? "").split(separator: " ") {
      if word == Self.due {
        isRewritingDue = true
      } else {
        declaration = UInt64(lowerHex: word.utf8)
      }
    }
  }

  func write(to connection: Connection) throws {
    let words = [declaration?.lowerHex, isRewritingDue ? Self.due : nil].compactMap { $0 }
    try Settings(connection).set(
      .horizonReaders, words.isEmpty ? nil : .string(words.joined(separator: " ")))
  }

  /// Records whether all members of the declaration that the store obeys read segments above horizons,
  /// according to their `peer.json` files. Members that read them and state no range do so for ever: no
  /// program is replaced by an older one. If another peer that is counted on states that it reads none, such
  /// as one that has joined since, no store writes such segments.
  ///
  /// - Returns: what is remembered now; `nil` where horizons are off.
  @discardableResult
  static func note(_ exchange: Exchange) throws -> HorizonReaders? {
    guard exchange.environment.horizons.isOn else { return nil }
    var readers = try HorizonReaders(exchange.connection)
    guard let obeyed = try HorizonRecord.ifReadable(exchange.connection)?.state.obeyed
    else { return readers }
    let isRefused = exchange.hasActiveRefusal
    if readers.declaration == obeyed.identifier, !isRefused { return readers }
    let allRead =
      !isRefused
      && obeyed.members.allSatisfy { member in
        member == exchange.own || exchange.manifests.all[member]?.readsAboveHorizons ?? false
      }
    if readers.declaration == nil, !allRead { return readers }
    if readers.declaration != nil { readers.isRewritingDue = true }
    readers.declaration = allRead ? obeyed.identifier : nil
    try readers.write(to: exchange.connection)
    return readers
  }
}

extension Exchange {
  /// Whether a peer that is counted on states that it does not read segments above horizons.
  fileprivate var hasActiveRefusal: Bool {
    let refusing = manifests.others(than: own).filter(\.refusesAboveHorizons)
    if refusing.isEmpty { return false }
    return !Set(refusing.map(\.peer)).isSubset(of: manifests.all.goneIdentities)
  }
}
