import TributaryCore
import TributaryReplay
import TributarySQLite
import TributaryStore

/// The transactions that the last synchronisation could not import because of a constraint. Operations that
/// do not import use this record.
struct RefusalTable {
  let connection: Connection

  init(_ connection: Connection) { self.connection = connection }

  func all() throws -> [Waiting] {
    let statement = try connection.cached(
      "SELECT peer, sequence, reason FROM tributary_refusal ORDER BY peer")
    defer { statement.reset() }
    var refusals: [Waiting] = []
    while try statement.step() {
      guard let peer = PeerIdentity(bytes: statement.bytes(0)) else { continue }
      refusals.append(
        Waiting(
          peer: peer, sequence: SequenceNumber(UInt64(clamping: statement.integer(1))),
          reason: .constraint(Refusal(stored: statement.string(2)))))
    }
    return refusals
  }

  /// Records those among `waiting`, unless they are already recorded.
  func replace(with waiting: [Waiting]) throws {
    let refusals = waiting.filter { if case .constraint = $0.reason { true } else { false } }
    guard try refusals != all() else { return }
    try connection.immediate {
      try connection.execute("DELETE FROM tributary_refusal")
      for refusal in refusals {
        guard case .constraint(let reason) = refusal.reason else { continue }
        try connection.cached("INSERT INTO tributary_refusal VALUES (?, ?, ?)").run(
          .blob(refusal.peer.bytes), .integer(Int64(refusal.sequence.rawValue)),
          .string(reason.stored))
      }
    }
  }
}

extension Refusal {
  /// The stored form: a JSON array of both parts.
  fileprivate var stored: String {
    var json = JSONWriter()
    json.array { json in
      json.string(message)
      json.string(remedy)
    }
    return json.text
  }

  /// Earlier programs have written one text.
  fileprivate init(stored text: String) {
    if case .array(let parts)? = JSONValue(Array(text.utf8)), parts.count == 2,
      case .value(.text(let message)) = parts[0], case .value(.text(let remedy)) = parts[1]
    {
      self.init(
        String(decoding: message, as: UTF8.self), remedy: String(decoding: remedy, as: UTF8.self))
    } else {
      self.init(text, remedy: "")
    }
  }
}
