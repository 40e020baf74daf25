import TributaryCore
import TributaryFiles
import TributarySync

/// `tributary peers list`: prints which peers are still counted on, and which keep the others from
/// forgetting.
struct PeersListCommand: Command {
  static let syntax = Syntax(
    "peers list", summary: "list the devices: active, silent or retired, and who holds back what",
    operands: [.store], options: [.json],
    details: """
      A device is silent when it has said nothing new for seven days on which this
      STORE was synchronised. It still counts. A device is retired when somebody has
      retired it, or when no store has its identity any more.

      HAS is the last transaction of this store that the device says it has. A device
      that HOLDS lacks the most of what some device has written, or agrees to forget
      nothing because its program is older. A transaction that some device still lacks
      can be removed nowhere.
      """)

  private let store: String
  private let printsJSON: Bool

  init(_ arguments: Arguments) {
    store = arguments.operands[0]
    printsJSON = arguments.has(.json)
  }

  func run(to output: Output) throws -> ExitStatus {
    let peers = try SyncSession(store: store).peers()
    if printsJSON {
      for peer in peers { try output.line(Self.json(peer)) }
    } else {
      try printText(peers, to: output)
    }
    return .done
  }

  private static func json(_ peer: PeerStanding) -> String {
    var json = JSONWriter()
    json.object { json in
      json.member("peer", peer.peer.description)
      json.member("name", peer.name)
      json.member("state", peer.state.rawValue)
      json.member("sequence", peer.sequence.rawValue)
      json.member("acknowledged", peer.acknowledged.rawValue)
      json.member("time") { $0.time(peer.time) }
      json.member("holds") { $0.bool(peer.holdsHorizon) }
    }
    return json.text
  }

  private func printText(_ peers: [PeerStanding], to output: Output) throws {
    var table = TextTable(
      ["PEER", "STATE", "SEQUENCE", "HAS", "HOLDS", "LAST WRITE", "NAME"],
      alignments: [.left, .left, .right, .right], to: output)
    for (place, peer) in peers.enumerated() {
      let state =
        peer.state == .silent
        ? "silent \(counted(peer.silentDays, "day"))" : peer.state.rawValue
      let time = peer.sequence == .zero ? "-" : WriteTime.text(peer.time)
      try table.append(
        [
          peer.peer.description, state, peer.sequence.description, peer.acknowledged.description,
          peer.holdsHorizon ? "yes" : "no", time,
          Escaping.escaped(peer.name) + (place == 0 ? " (this store)" : ""),
        ])
    }
    try table.finish()
  }
}
