public import TributaryCore
public import TributaryHorizon

extension Declaration {
  /// Makes the declaration that the header of a baseline has, with the identifier that follows from it.
  ///
  /// - Parameter entries: the horizon: the last transaction of each peer in it.
  public init(
    weight: UInt64, members: some Sequence<PeerIdentity>, entries: [BaselineHeader.Entry]
  ) {
    self.init(
      identifier: 0, weight: weight, members: members,
      horizon: Knowledge(
        entries.map { Knowledge.Entry(peer: $0.peer, sequence: $0.sequence) }),
      times: Dictionary(entries.map { ($0.peer, $0.time) }, uniquingKeysWith: { $1 }))
    identifier = digest
  }

  /// The identifier that follows from everything else, so that equal proposals are one: the digest8 of weight,
  /// members and horizon, as the header of a baseline has them.
  ///
  /// - Complexity: O(*n*) in the members and the peers of the horizon.
  public var digest: UInt64 {
    var buffer = ByteBuffer()
    buffer.append(weightAndMembersOf: self)
    for entry in horizonEntries { buffer.append(entry) }
    return SegmentHash.hash(buffer.bytes)
  }

  /// The horizon as a baseline of it lists it; the time of a transaction is zero if it is not known.
  public var horizonEntries: [BaselineHeader.Entry] {
    horizon.entries.map {
      BaselineHeader.Entry(
        peer: $0.peer, sequence: $0.sequence, time: times[$0.peer] ?? .zero)
    }
  }
}

extension ByteBuffer {
  /// Appends what a declaration has beside its horizon.
  mutating func append(weightAndMembersOf declaration: Declaration) {
    append(littleEndian: declaration.weight)
    append(littleEndian: UInt32(declaration.members.count))
    for member in declaration.members { append(member) }
  }

  mutating func append(_ entry: BaselineHeader.Entry) {
    append(entry.peer)
    append(littleEndian: entry.sequence.rawValue)
    append(littleEndian: entry.time.rawValue)
  }
}
