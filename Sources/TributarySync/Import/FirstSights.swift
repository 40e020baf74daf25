import TributaryCore
import TributaryFiles
import TributaryReplay
import TributaryStore

/// When the store first saw each obstacle to importing, so that the age of a delay does not depend on the
/// process that looks.
struct FirstSights {
  private let settings: Settings
  private let clock: any WallClock

  init(_ settings: Settings, clock: any WallClock) {
    self.settings = settings
    self.clock = clock
  }

  /// Further subjects are not remembered, and count as new each time.
  private static let limit = 1000

  /// Returns the times in milliseconds since 1970, by subject.
  func all() throws -> [String: UInt64] {
    var sights: [String: UInt64] = [:]
    // Subjects that cannot be read start over.
    for line in (try settings.text(.delays) ?? "").split(separator: "\n") {
      let parts = line.split(separator: " ", maxSplits: 1)
      guard parts.count == 2, let since = UInt64(parts[0]) else { continue }
      sights[String(parts[1])] = since
    }
    return sights
  }

  /// Records the present subjects and removes all others. Writes only if something has changed.
  ///
  /// - Returns: when each was first seen.
  func note(_ subjects: [String]) throws -> [String: UInt64] {
    let now = clock.milliseconds()
    let known = try all()
    var sights: [String: UInt64] = [:]
    for subject in subjects.prefix(Self.limit) {
      // A time in the future, from a clock that was ahead, does not count.
      sights[subject] = known[subject].flatMap { $0 <= now ? $0 : nil } ?? now
    }
    if sights != known {
      let text = sights.sorted { $0.key < $1.key }.map { "\($0.value) \($0.key)\n" }.joined()
      try settings.set(.delays, text.isEmpty ? nil : .string(text))
    }
    return sights
  }
}

extension Waiting {
  /// The words by which the store remembers the transaction, without texts that may change.
  var subject: String {
    let what = "wait \(peer) \(sequence)"
    return switch reason {
    case .transaction(let peer, let sequence): "\(what) transaction \(peer) \(sequence)"
    case .history(let peer, let sequence): "\(what) history \(peer) \(sequence)"
    case .schema: "\(what) schema"
    case .constraint: "\(what) constraint"
    case .fork(let sequence): "\(what) fork \(sequence)"
    case .strayed(let peer, let sequence): "\(what) strayed \(peer) \(sequence)"
    case .baseline(let declaration): "\(what) baseline \(declaration.lowerHex)"
    case .fenced(let declaration): "\(what) horizon \(declaration.lowerHex)"
    }
  }

  /// Reads the words of a transaction that waits for logs that are gone.
  init?(historySubject words: String) {
    let words = words.split(separator: " ")
    guard words.count == 6, words[0] == "wait", words[3] == "history",
      let peer = PeerIdentity(hex: String(words[1])), let sequence = UInt64(words[2]),
      let lost = PeerIdentity(hex: String(words[4])), let missing = UInt64(words[5])
    else { return nil }
    self.init(
      peer: peer, sequence: SequenceNumber(sequence),
      reason: .history(peer: lost, sequence: SequenceNumber(missing)))
  }
}
