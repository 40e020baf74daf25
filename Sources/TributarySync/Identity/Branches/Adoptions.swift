import TributaryContainer
import TributaryCore
import TributaryStore

/// The branches that this store has issued again on behalf of others.
struct Adoptions {
  private let settings: Settings

  init(_ settings: Settings) { self.settings = settings }

  func all() throws -> [Withdrawal] {
    // Lines that cannot be read are determined anew: the branch still exists.
    (try settings.text(.adopted) ?? "").split(separator: "\n").compactMap { line in
      let parts = line.split(separator: " ")
      guard parts.count == 5, let peer = PeerIdentity(hex: parts[0]),
        let former = PeerIdentity(hex: parts[1]), let last = UInt64(parts[2]),
        let reissued = UInt64(parts[3]), let time = UInt64(parts[4]), last < reissued,
        reissued <= SequenceNumber.max.rawValue
      else { return nil }
      return Withdrawal(
        former: former, last: SequenceNumber(last), reissued: SequenceNumber(reissued), peer: peer,
        time: HybridTime(rawValue: time))
    }
  }

  /// Adds branches. Remembers the largest extent ever reported of each.
  func add(_ branches: [Withdrawal]) throws {
    var all = Dictionary(try all().map { ($0.peer, $0) }, uniquingKeysWith: { $1 })
    for branch in branches {
      if let known = all[branch.peer], known.reissued >= branch.reissued { continue }
      all[branch.peer] = branch
    }
    let lines = all.values.sorted { $0.peer < $1.peer }.map {
      "\($0.peer) \($0.former) \($0.last) \($0.reissued) \($0.time?.rawValue ?? 0)\n"
    }
    try settings.set(.adopted, .string(lines.joined()))
  }

  /// Returns what the store's `peer.json` states about them.
  func manifest() throws -> [PeerIdentity: ManifestAdoption] {
    Dictionary(
      try all().map {
        (
          $0.peer,
          ManifestAdoption(
            former: $0.former,
            range: ManifestFormer(last: $0.last, reissued: $0.reissued, time: $0.time))
        )
      }, uniquingKeysWith: { $1 })
  }
}
