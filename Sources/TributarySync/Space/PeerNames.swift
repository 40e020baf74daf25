import TributaryCore

/// The names under which a store last knew its peers. A peer whose `peer.json` is gone keeps its name.
struct PeerNames {
  private var names: [PeerIdentity: String] = [:]

  /// Reads the names from their text. Names that cannot be read are unknown.
  init(_ text: String?) {
    for line in (text ?? "").split(separator: "\n") {
      let parts = line.split(separator: " ", maxSplits: 1)
      guard parts.count == 2, let peer = PeerIdentity(hex: String(parts[0])) else { continue }
      names[peer] = String(parts[1])
    }
  }

  var text: String? {
    names.isEmpty
      ? nil : names.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)\n" }.joined()
  }

  subscript(peer: PeerIdentity) -> String? { names[peer] }

  /// Records a name, in one line.
  mutating func note(_ name: String, of peer: PeerIdentity) {
    let line = name.split(whereSeparator: \.isNewline).joined(separator: " ")
    if !line.isEmpty { names[peer] = line }
  }
}
