/// A version vector: for each peer, the highest sequence seen with all before it.
public struct Knowledge: Hashable, Sendable {
  public struct Entry: Hashable, Sendable {
    public var peer: PeerIdentity
    public var sequence: SequenceNumber

    @inlinable public init(peer: PeerIdentity, sequence: SequenceNumber) {
      self.peer = peer
      self.sequence = sequence
    }
  }

  /// The entries in ascending order of peer; no sequence is zero.
  public private(set) var entries: [Entry] = []

  public init() {}

  /// Makes knowledge from the highest sequence given for each peer. The order of the entries does
  /// not matter.
  public init(_ entries: some Sequence<Entry>) {
    for entry in entries { self[entry.peer] = max(self[entry.peer], entry.sequence) }
  }

  public var isEmpty: Bool { entries.isEmpty }

  /// The highest known sequence of a peer; zero for an unknown one.
  ///
  /// - Complexity: O(log *n*) in the number of peers to read, O(*n*) to set a new one.
  public subscript(peer: PeerIdentity) -> SequenceNumber {
    get {
      let index = index(of: peer)
      return index < entries.count && entries[index].peer == peer ? entries[index].sequence : .zero
    }
    set {
      let index = index(of: peer)
      let exists = index < entries.count && entries[index].peer == peer
      if newValue == .zero {
        if exists { entries.remove(at: index) }
      } else if exists {
        entries[index].sequence = newValue
      } else {
        entries.insert(Entry(peer: peer, sequence: newValue), at: index)
      }
    }
  }

  /// Whether this contains everything that `other` contains.
  public func isSuperset(of other: Knowledge) -> Bool {
    other.entries.allSatisfy { self[$0.peer] >= $0.sequence }
  }

  /// Returns the first entry, by order of peer, that `other` contains and this lacks.
  public func firstMissing(from other: Knowledge) -> Entry? {
    other.entries.first { self[$0.peer] < $0.sequence }
  }

  /// Adds everything that `other` contains.
  public mutating func formUnion(_ other: Knowledge) {
    for entry in other.entries { self[entry.peer] = max(self[entry.peer], entry.sequence) }
  }

  /// Returns what one of both contains.
  public func union(_ other: Knowledge) -> Knowledge {
    var union = self
    union.formUnion(other)
    return union
  }

  /// Returns what both contain.
  public func intersection(_ other: Knowledge) -> Knowledge {
    Knowledge(
      entries.map { Entry(peer: $0.peer, sequence: min($0.sequence, other[$0.peer])) })
  }

  private func index(of peer: PeerIdentity) -> Int {
    var low = 0
    var high = entries.count
    while low < high {
      let middle = (low + high) / 2
      if entries[middle].peer < peer { low = middle + 1 } else { high = middle }
    }
    return low
  }
}
