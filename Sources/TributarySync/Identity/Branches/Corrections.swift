import TributaryContainer
import TributaryCore
import TributarySQLite
import TributaryStore

/// The corrections of knowledge that a store remembers, in the order in which they apply.
struct Corrections {
  private let settings: Settings
  private let key: Settings.Key

  private init(_ settings: Settings, _ key: Settings.Key) {
    self.settings = settings
    self.key = key
  }

  /// Returns the corrections with which the store has read logs, and those of its own log.
  static func applied(_ connection: Connection) -> Corrections {
    Corrections(Settings(connection), .corrections)
  }

  /// Returns the corrections that came too late: what the store has imported differs from what reading with
  /// them would have produced.
  static func missed(_ connection: Connection) -> Corrections {
    Corrections(Settings(connection), .missedCorrections)
  }

  func all() throws -> [KnowledgeCorrection] {
    // Other peers repeat corrections that cannot be read here, and so does this store's `peer.json`.
    (try settings.text(key) ?? "").split(separator: "\n").compactMap { line in
      let parts = line.split(separator: " ")
      guard parts.count == 6, let author = PeerIdentity(hex: parts[0]),
        let former = PeerIdentity(hex: parts[1]), let last = UInt64(parts[2]),
        let new = PeerIdentity(hex: parts[3]), let from = UInt64(parts[4]),
        let through = UInt64(parts[5])
      else { return nil }
      return KnowledgeCorrection(
        author: author,
        Renaming(former: former, last: SequenceNumber(last), new: new),
        first: SequenceNumber(from), last: SequenceNumber(through))
    }
  }

  func removeAll() throws { try settings.set(key, nil) }

  /// Adds the corrections that are new.
  func add(_ corrections: [KnowledgeCorrection]) throws {
    let known = try all()
    let new = corrections.filter { !known.contains($0) }
    if new.isEmpty { return }
    let lines = (known + new).map {
      "\($0.author) \($0.renaming.former) \($0.renaming.last) \($0.renaming.new) \($0.first) \($0.last)\n"
    }
    try settings.set(key, .string(lines.joined()))
  }
}
