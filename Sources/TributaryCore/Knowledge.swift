/// A version vector: for each peer, the highest sequence up to which all have been seen.
///
/// Copies of one `shared()` knowledge share its entries. A copy takes memory, and comparing two copies takes
/// time, only for the entries that differ from the shared ones.
@usableFromInline package struct Knowledge: Sendable {
  @usableFromInline package struct Entry: Hashable, Sendable {
    @usableFromInline package var peer: PeerIdentity
    @usableFromInline package var sequence: SequenceNumber

    @inlinable package init(peer: PeerIdentity, sequence: SequenceNumber) {
      self.peer = peer
      self.sequence = sequence
    }
  }

  /// In ascending order of peer: all entries, or those that are higher than in the floor; no sequence is zero.
  private var own: [Entry] = []
  private var floor: KnowledgeFloor?

  package init() {}

  /// Makes knowledge from the highest sequence given for each peer. The order of the entries does
  /// not matter.
  ///
  /// - Complexity: O(*n*) if the entries ascend.
  package init(_ entries: some Sequence<Entry>) {
    for entry in entries {
      if entry.sequence > .zero, own.last.map({ $0.peer < entry.peer }) ?? true {
        own.append(entry)
      } else {
        self[entry.peer] = max(self[entry.peer], entry.sequence)
      }
    }
  }

  /// Returns the same knowledge, whose copies all share its entries.
  ///
  /// - Complexity: O(*n*) in the number of peers; O(1) if it has none of its own.
  package func shared() -> Knowledge {
    if floor != nil, own.isEmpty { return self }
    var shared = Knowledge()
    shared.floor = KnowledgeFloor(entries)
    return shared
  }

  /// The entries in ascending order of peer; no sequence is zero.
  ///
  /// - Complexity: O(1); O(*n*) in the number of peers if they are shared.
  package var entries: [Entry] { floor?.entries(under: own) ?? own }

  /// The number of entries.
  ///
  /// - Complexity: O(1); O(*k* log *n*) for *k* entries that differ from those that are shared.
  package var count: Int {
    guard let floor else { return own.count }
    return floor.count + own.count { floor[$0.peer] == .zero }
  }

  /// The number of transactions: the sum of all sequences, or the largest representable number if that is
  /// exceeded.
  ///
  /// - Complexity: as `count`.
  package var total: UInt64 {
    guard let floor, let shared = floor.total else { return entries.total ?? .max }
    var sum = shared
    for entry in own {
      let (next, overflows) = sum.addingReportingOverflow(
        entry.sequence.rawValue - floor[entry.peer].rawValue)
      if overflows { return .max }
      sum = next
    }
    return sum
  }

  package var isEmpty: Bool { own.isEmpty && (floor?.count ?? 0) == 0 }

  /// The highest known sequence of a peer; zero for an unknown one.
  ///
  /// - Complexity: O(log *n*) in the number of peers to read, O(*n*) to set a new one.
  package subscript(peer: PeerIdentity) -> SequenceNumber {
    get {
      let index = own.index(of: peer)
      if index < own.count, own[index].peer == peer { return own[index].sequence }
      return floor?[peer] ?? .zero
    }
    set {
      if let floor {
        let shared = floor[peer]
        if newValue == shared {
          set(peer, .zero)
          return
        }
        if newValue < shared {
          if let other = floor.omitting(peer) {
            self.floor = other
          } else {
            own = entries
            self.floor = nil
          }
        }
      }
      set(peer, newValue)
    }
  }

  private mutating func set(_ peer: PeerIdentity, _ sequence: SequenceNumber) {
    let index = own.index(of: peer)
    let exists = index < own.count && own[index].peer == peer
    if sequence == .zero {
      if exists { own.remove(at: index) }
    } else if exists {
      own[index].sequence = sequence
    } else {
      own.insert(Entry(peer: peer, sequence: sequence), at: index)
    }
  }

  /// Whether this contains everything that `other` contains.
  package func isSuperset(of other: Knowledge) -> Bool {
    if let peers = distinctPeers(other) { return peers.allSatisfy { self[$0] >= other[$0] } }
    let (mine, theirs) = (entries, other.entries)
    // Searching for each of a few takes less time than walking past all.
    if theirs.count < mine.count / 8 { return theirs.allSatisfy { self[$0.peer] >= $0.sequence } }
    var place = 0
    return theirs.allSatisfy { entry in
      while place < mine.count, mine[place].peer < entry.peer { place += 1 }
      return place < mine.count && mine[place].peer == entry.peer
        && mine[place].sequence >= entry.sequence
    }
  }

  /// Returns the first entry, by order of peer, that `other` contains and this lacks.
  package func firstMissing(from other: Knowledge) -> Entry? {
    if let peers = distinctPeers(other) {
      return peers.first { self[$0] < other[$0] }.map { Entry(peer: $0, sequence: other[$0]) }
    }
    return other.entries.first { self[$0.peer] < $0.sequence }
  }

  /// Adds everything that `other` contains.
  package mutating func formUnion(_ other: Knowledge) {
    if isEmpty {
      self = other
      return
    }
    for entry in other.exceeding(self) { self[entry.peer] = entry.sequence }
  }

  /// Returns what either of the two contains.
  package func union(_ other: Knowledge) -> Knowledge {
    var union = self
    union.formUnion(other)
    return union
  }

  /// Returns what both of them contain.
  ///
  /// - Complexity: as `exceeding`.
  package func intersection(_ other: Knowledge) -> Knowledge {
    if let peers = distinctPeers(other) {
      var common = self
      for peer in peers { common[peer] = min(self[peer], other[peer]) }
      return common
    }
    return Knowledge(
      entries.map { Entry(peer: $0.peer, sequence: min($0.sequence, other[$0.peer])) })
  }

  /// Returns the entries that are higher here than in `other`, in ascending order of peer.
  ///
  /// - Complexity: O(*n*) in the number of peers; O(*k* log *n*) for *k* entries in which both differ from the same
  ///   shared ones, and for *k* entries here if only `other` has shared ones.
  package func exceeding(_ other: Knowledge) -> [Entry] {
    if let peers = distinctPeers(other) {
      return peers.compactMap { peer in
        let sequence = self[peer]
        return sequence > other[peer] ? Entry(peer: peer, sequence: sequence) : nil
      }
    }
    if other.floor != nil { return entries.filter { $0.sequence > other[$0.peer] } }
    let (mine, others) = (entries, other.own)
    var exceeding: [Entry] = []
    var index = 0
    for entry in mine {
      while index < others.count, others[index].peer < entry.peer { index += 1 }
      if index == others.count || others[index].peer != entry.peer
        || others[index].sequence < entry.sequence
      {
        exceeding.append(entry)
      }
    }
    return exceeding
  }

  /// Returns the entries that are higher here than in `other`; `nil` if one is lower.
  ///
  /// - Complexity: as `exceeding`; O(1) for an unchanged copy.
  package func risen(above other: Knowledge) -> [Entry]? {
    if self == other { return [] }
    if let peers = distinctPeers(other) {
      return peers.allSatisfy { self[$0] >= other[$0] } ? exceeding(other) : nil
    }
    var risen: [Entry] = []
    var old = other.entries[...]
    for entry in entries {
      guard let before = old.first, before.peer <= entry.peer else {
        risen.append(entry)
        continue
      }
      guard before.peer == entry.peer, before.sequence <= entry.sequence else { return nil }
      if before.sequence < entry.sequence { risen.append(entry) }
      old.removeFirst()
    }
    return old.isEmpty ? risen : nil
  }

  /// Returns, in ascending order, the only peers of which one can know something that the other does not;
  /// `nil` if the two do not share their entries.
  private func distinctPeers(_ other: Knowledge) -> [PeerIdentity]? {
    guard let floor, let others = other.floor, floor.sharesEntries(with: others) else { return nil }
    var peers = own.map(\.peer) + other.own.map(\.peer)
    if floor !== others {
      if let omitted = floor.omitted { peers.append(omitted) }
      if let omitted = others.omitted { peers.append(omitted) }
    }
    if peers.count < 2 { return peers }
    peers.sort()
    var last = 0
    for index in 1..<peers.count where peers[index] != peers[last] {
      last += 1
      peers[last] = peers[index]
    }
    peers.removeSubrange((last + 1)...)
    return peers
  }
}

extension Knowledge: Hashable {
  @usableFromInline package static func == (a: Knowledge, b: Knowledge) -> Bool {
    if a.floor === b.floor { return a.own == b.own }
    if let peers = a.distinctPeers(b) { return peers.allSatisfy { a[$0] == b[$0] } }
    return a.entries == b.entries
  }

  @usableFromInline package func hash(into hasher: inout Hasher) { hasher.combine(entries) }
}

extension [Knowledge.Entry] {
  /// The sum of the sequences; `nil` if it is larger than any number.
  var total: UInt64? {
    var sum: UInt64 = 0
    for entry in self {
      let (next, overflows) = sum.addingReportingOverflow(entry.sequence.rawValue)
      if overflows { return nil }
      sum = next
    }
    return sum
  }

  /// Returns the position of the first entry that is not before that of a peer.
  func index(of peer: PeerIdentity) -> Int {
    var low = 0
    var high = count
    while low < high {
      let middle = (low + high) / 2
      if self[middle].peer < peer { low = middle + 1 } else { high = middle }
    }
    return low
  }
}
