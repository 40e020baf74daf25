/// Entries that many knowledge values share, with or without the entry of one peer: what a transaction knew
/// has no entry for its author.
final class KnowledgeFloor: Sendable {
  /// The entries of all peers.
  private final class Root: Sendable {
    let entries: [Knowledge.Entry]
    /// The sum of their sequences; `nil` if it is larger than any number.
    let total: UInt64?

    init(_ entries: [Knowledge.Entry]) {
      self.entries = entries
      total = entries.total
    }
  }

  private let root: Root
  /// The peer whose entry is left out.
  let omitted: PeerIdentity?

  /// - Parameter entries: in ascending order of peer.
  init(_ entries: [Knowledge.Entry]) {
    root = Root(entries)
    omitted = nil
  }

  private init(_ root: Root, omitting peer: PeerIdentity) {
    self.root = root
    omitted = peer
  }

  /// Returns the same entries without a peer's; `nil` if another peer is already left out.
  func omitting(_ peer: PeerIdentity) -> KnowledgeFloor? {
    omitted == nil ? KnowledgeFloor(root, omitting: peer) : nil
  }

  /// Whether both have the same entries, except for those left out.
  func sharesEntries(with other: KnowledgeFloor) -> Bool { root === other.root }

  /// The sequence of a peer; zero for a peer that is left out.
  subscript(peer: PeerIdentity) -> SequenceNumber {
    let entries = root.entries
    let index = entries.index(of: peer)
    guard index < entries.count, entries[index].peer == peer, peer != omitted else { return .zero }
    return entries[index].sequence
  }

  /// The number of entries that are not left out.
  var count: Int {
    guard let omitted else { return root.entries.count }
    let index = root.entries.index(of: omitted)
    let isThere = index < root.entries.count && root.entries[index].peer == omitted
    return root.entries.count - (isThere ? 1 : 0)
  }

  /// The sum of the sequences of the entries that are not left out; `nil` if it is not known without adding
  /// them up.
  var total: UInt64? {
    guard let all = root.total, let omitted else { return root.total }
    let index = root.entries.index(of: omitted)
    let isThere = index < root.entries.count && root.entries[index].peer == omitted
    return all - (isThere ? root.entries[index].sequence.rawValue : 0)
  }

  /// Returns all entries, with the given ones in their place.
  ///
  /// - Parameter above: in ascending order of peer.
  func entries(under above: [Knowledge.Entry]) -> [Knowledge.Entry] {
    if above.isEmpty, omitted == nil { return root.entries }
    var merged: [Knowledge.Entry] = []
    merged.reserveCapacity(root.entries.count + above.count)
    var index = 0
    for entry in root.entries {
      while index < above.count, above[index].peer < entry.peer {
        merged.append(above[index])
        index += 1
      }
      if index < above.count, above[index].peer == entry.peer {
        merged.append(above[index])
        index += 1
      } else if entry.peer != omitted {
        merged.append(entry)
      }
    }
    return merged + above[index...]
  }
}
