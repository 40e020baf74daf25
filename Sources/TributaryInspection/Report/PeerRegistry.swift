internal import TributaryCore

/// Assigns numbers to the peers of a report.
struct PeerRegistry {
  private(set) var peers: [ReportPeer] = []
  private var numbers: [PeerIdentity: Int] = [:]
  private let mentionedLimit: Int
  private var mentionedCount = 0

  init(_ limits: ReportLimits) { mentionedLimit = limits.mentionedPeers }

  subscript(number: Int) -> ReportPeer {
    get { peers[number] }
    _modify { yield &peers[number] }
  }

  /// Returns the number of a peer that has a log or a directory.
  mutating func number(of peer: PeerIdentity) -> Int { numbers[peer] ?? add(peer) }

  /// Returns the number of a peer that was only mentioned; `nil` if there are too many of them.
  mutating func number(mentioned peer: PeerIdentity) -> Int? {
    if let number = numbers[peer] { return number }
    guard mentionedCount < mentionedLimit else { return nil }
    mentionedCount += 1
    return add(peer)
  }

  private mutating func add(_ peer: PeerIdentity) -> Int {
    numbers[peer] = peers.count
    peers.append(ReportPeer(peer))
    return peers.count - 1
  }
}
