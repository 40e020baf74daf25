import TributaryCore

extension TransactionHeader {
  /// Appends the transaction item, given the full knowledge of the previous transaction.
  ///
  /// - Throws: `inconsistent` if the knowledge decreases.
  func encode(after previous: Knowledge, into buffer: inout ByteBuffer) throws(LogError) {
    guard let risen = knowledge.risen(above: previous) else {
      throw LogError(.inconsistent, "the knowledge of transaction \(sequence) falls")
    }
    buffer.append(ItemCode.transaction)
    buffer.append(variable: sequence.rawValue)
    buffer.append(littleEndian: time.rawValue)
    buffer.append(variable: UInt64(schema))
    try buffer.append(variable: risen)
    buffer.append(basis == nil ? 0 : 1 as UInt8)
    if let basis { try buffer.append(variable: basis.entries) }
  }

  /// Reads a transaction item after its code, given the full knowledge of the previous transaction.
  init(from cursor: inout ByteCursor, after previous: Knowledge) throws(LogError) {
    sequence = try cursor.sequence()
    time = HybridTime(rawValue: try cursor.littleEndian())
    schema = try cursor.identifier()
    knowledge = previous
    let start = cursor.offset
    for entry in try cursor.entries() {
      guard knowledge[entry.peer] < entry.sequence else {
        throw LogError(
          .malformed, "the knowledge of \(entry.peer) does not rise", at: UInt64(start))
      }
      knowledge[entry.peer] = entry.sequence
    }
    guard knowledge.entries.count <= LogFormat.maximumKnowledgeCount else {
      throw cursor.failure(.limitExceeded, "a version vector of \(knowledge.entries.count) peers")
    }
    switch try cursor.byte() {
    case 0: basis = nil
    case 1: basis = Knowledge(try cursor.entries())
    case let flag: throw cursor.failure(.malformed, "\(flag) instead of 0 or 1")
    }
  }
}

extension Knowledge {
  /// Returns the entries that are higher here than in `other`; `nil` if one is lower.
  ///
  /// - Complexity: O(*n*) in the number of peers; O(1) for an unchanged copy.
  func risen(above other: Knowledge) -> [Entry]? {
    if self == other { return [] }
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
}
