import TributaryCore
import TributaryHorizon

extension Declaration {
  /// Makes the declaration in the header of a baseline, with the identifier derived from it.
  ///
  /// - Parameter entries: the horizon, as the last transaction of each peer in it.
  package init(
    weight: UInt64, members: some Sequence<PeerIdentity>, entries: [BaselineHeader.Entry]
  ) {
    self.init(identifier: 0, weight: weight, members: members, entries: entries)
    identifier = digest
  }

  private init(
    identifier: UInt64, weight: UInt64, members: some Sequence<PeerIdentity>,
    entries: [BaselineHeader.Entry]
  ) {
    self.init(
      identifier: identifier, weight: weight, members: members,
      horizon: Knowledge(
        entries.map { Knowledge.Entry(peer: $0.peer, sequence: $0.sequence) }),
      times: Dictionary(entries.map { ($0.peer, $0.time) }, uniquingKeysWith: { $1 }))
  }

  /// The identifier, which is derived from everything else so that equal proposals are the same: the digest8
  /// of `bytes`.
  ///
  /// - Complexity: O(*n*) in the members and the peers of the horizon.
  package var digest: UInt64 { bytes.withUnsafeBytes { SegmentHash.hash($0) } }

  /// The weight, members and horizon, as in the header of a baseline.
  package var bytes: [UInt8] {
    var buffer = ByteBuffer()
    buffer.append(weightAndMembersOf: self)
    for entry in horizonEntries { buffer.append(entry) }
    return Array(buffer.bytes)
  }

  /// Reads exactly what `bytes` returned.
  ///
  /// - Throws: ``LogError`` for anything else.
  package init(decoding bytes: UnsafeRawBufferPointer) throws(LogError) {
    var cursor = ByteCursor(bytes)
    let (weight, members) = try cursor.weightAndMembers()
    var entries: [BaselineHeader.Entry] = []
    while cursor.remaining > 0 { entries.append(try cursor.entry()) }
    guard zip(entries, entries.dropFirst()).allSatisfy({ $0.peer < $1.peer }),
      entries.allSatisfy({ $0.sequence > .zero })
    else { throw LogError(.malformed, "the peers of a declaration do not ascend") }
    self.init(
      identifier: SegmentHash.hash(bytes), weight: weight, members: members, entries: entries)
  }

  /// The horizon as a baseline lists it; the time of a transaction is zero if it is not known.
  package var horizonEntries: [BaselineHeader.Entry] {
    horizon.entries.map {
      BaselineHeader.Entry(
        peer: $0.peer, sequence: $0.sequence, time: times[$0.peer] ?? .zero)
    }
  }
}

extension ByteBuffer {
  /// Appends what a declaration has in addition to its horizon.
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

extension ByteCursor {
  /// Reads what a declaration has in addition to its horizon.
  mutating func weightAndMembers() throws(LogError) -> (weight: UInt64, members: [PeerIdentity]) {
    let weight: UInt64 = try littleEndian()
    let count = try littleEndian(UInt32.self)
    guard count <= LogFormat.maximumKnowledgeCount else {
      throw failure(.limitExceeded, "a declaration of \(count) members")
    }
    var members: [PeerIdentity] = []
    for _ in 0..<count { members.append(try peer()) }
    try Declaration.check(weight: weight, members: members)
    return (weight, members)
  }

  mutating func entry() throws(LogError) -> BaselineHeader.Entry {
    BaselineHeader.Entry(
      peer: try peer(), sequence: SequenceNumber(try littleEndian()),
      time: HybridTime(rawValue: try littleEndian()))
  }
}

extension Declaration {
  /// Checks that there is a weight and that there are members, each once and in ascending order.
  static func check(weight: UInt64, members: [PeerIdentity]) throws(LogError) {
    guard 1...maximumWeight ~= weight else {
      throw LogError(.malformed, "a declaration of weight \(weight)")
    }
    try LogError.checkKnowledge(count: members.count)
    guard !members.isEmpty, zip(members, members.dropFirst()).allSatisfy({ $0 < $1 }) else {
      throw LogError(.malformed, "the members of a declaration do not ascend")
    }
  }
}
