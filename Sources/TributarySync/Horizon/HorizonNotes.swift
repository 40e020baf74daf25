import TributaryCore
import TributaryLog
import TributarySQLite
import TributaryStore

/// What a store records about horizons besides its promises: when it did what it does at intervals, by its
/// own clock, and what it has ever stated.
struct HorizonNotes: Equatable {
  /// When it last proposed or promised, or first might have, in milliseconds since 1970.
  var moved: UInt64?
  /// When it last checked whether a proposal would gain anything.
  var considered: UInt64?
  /// When it began to obey its present declaration.
  var obeyed: UInt64?
  /// Since when it has lacked logs that it would have to read again (rule 25).
  var lost: UInt64?
  /// When it first saw proposals that leave out an active peer, by their identifiers.
  var seen: [UInt64: UInt64] = [:]
  /// What waits for a day before this store issues it again for a retired peer, by peers.
  var arrivals: [PeerIdentity: Arrival] = [:]

  /// When the first of these has waited for a period, in milliseconds since 1970; `nil` if none waits.
  func arrivalDue(after period: UInt64) -> UInt64? {
    arrivals.values.map(\.time).filter { $0 > 0 }.min().map { $0 + period }
  }
  /// The declarations that it has promised, obeyed or settled by, the latest at the end.
  private(set) var stated: [UInt64] = []

  /// This many are remembered: the file in the container cannot be further behind.
  private static let statedCount = 256

  private enum Word: String { case moved, considered, obeyed, lost, seen, arrived, stated }

  /// The part of a peer's log that is here and that no store can import.
  struct Arrival: Equatable {
    /// The last transaction in the peer's files.
    var last: SequenceNumber
    /// When this store first saw that one; zero once no more is expected, because that was a day ago or because
    /// the user has said so.
    var time: UInt64
  }

  init() {}

  /// Reads the notes. Those that cannot be read start over.
  init(_ connection: Connection) throws {
    for line in try Settings(connection).lines(.horizonNotes) {
      let parts = line.split(separator: " ")
      guard parts.count >= 2, let word = Word(rawValue: String(parts[0])) else { continue }
      let time = UInt64(parts[1])
      switch word {
      case .moved: moved = time
      case .considered: considered = time
      case .obeyed: obeyed = time
      case .lost: lost = time
      case .seen:
        if parts.count == 3, let identifier = UInt64(lowerHex: parts[2].utf8) {
          seen[identifier] = time
        }
      case .arrived:
        if parts.count == 4, let time, let last = UInt64(parts[2]),
          let peer = PeerIdentity(hex: String(parts[3]))
        {
          arrivals[peer] = Arrival(last: SequenceNumber(last), time: time)
        }
      case .stated: stated = parts.dropFirst().compactMap { UInt64(lowerHex: $0.utf8) }
      }
    }
  }

  func write(to connection: Connection) throws {
    var lines: [String] = []
    func add(_ word: Word, _ rest: String?) {
      if let rest { lines.append("\(word.rawValue) \(rest)") }
    }
    add(.moved, moved.map { "\($0)" })
    add(.considered, considered.map { "\($0)" })
    add(.obeyed, obeyed.map { "\($0)" })
    add(.lost, lost.map { "\($0)" })
    for (identifier, time) in seen.sorted(by: { $0.key < $1.key }) {
      add(.seen, "\(time) \(identifier.lowerHex)")
    }
    for (peer, arrival) in arrivals.sorted(by: { $0.key < $1.key }) {
      add(.arrived, "\(arrival.time) \(arrival.last.rawValue) \(peer)")
    }
    add(.stated, stated.isEmpty ? nil : stated.map(\.lowerHex).joined(separator: " "))
    try Settings(connection).set(.horizonNotes, lines: lines)
  }

  /// Records that logs are missing, unless that is already recorded.
  static func noteLoss(_ now: UInt64, in connection: Connection) throws {
    try connection.immediate {
      var notes = try HorizonNotes(connection)
      guard notes.lost == nil else { return }
      notes.lost = now
      try notes.write(to: connection)
    }
  }

  /// Records what a record makes the store state.
  mutating func note(_ record: HorizonRecord) {
    let news = record.statements.filter { !stated.contains($0) }
    stated = Array((stated + news).suffix(Self.statedCount))
  }

  /// Whether a period has passed since a time, or there is no such time. A time in the future, from a clock
  /// that was ahead, delays nothing.
  static func hasPassed(_ period: UInt64, since time: UInt64?, _ now: UInt64) -> Bool {
    guard let time, time <= now else { return true }
    return now - time >= period
  }
}

extension HorizonRecord {
  /// The identifiers of the declarations that the record makes a store state.
  var statements: [UInt64] {
    (state.promises + [state.obeyed, settled].compactMap { $0 }).map(\.identifier)
  }
}
