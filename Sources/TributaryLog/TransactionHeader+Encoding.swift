import TributaryCore

extension TransactionHeader {
  /// Appends the transaction item, given the full knowledge of the previous transaction.
  ///
  /// - Parameter horizon: the entries to leave out of a basis.
  /// - Throws: `inconsistent` if the knowledge decreases, the basis lacks part of the horizon, or a
  ///   peer is not in the header.
  func encode(
    after previous: Knowledge, above horizon: Knowledge, as notation: PeerNotation,
    into buffer: inout ByteBuffer
  ) throws(LogError) {
    guard let risen = knowledge.risen(above: previous) else {
      throw LogError(.inconsistent, "the knowledge of transaction \(sequence) falls")
    }
    buffer.append(ItemCode.transaction)
    buffer.append(variable: sequence.rawValue)
    buffer.append(littleEndian: time.rawValue)
    buffer.append(variable: UInt64(schema))
    try buffer.append(variable: risen, as: notation)
    buffer.append(basis == nil ? 0 : 1 as UInt8)
    guard let basis else { return }
    guard let risen = basis.risen(above: horizon) else {
      throw LogError(
        .inconsistent, "the basis of transaction \(sequence) lacks some of the horizon")
    }
    try buffer.append(variable: risen, as: notation)
  }

  /// Reads a transaction item after its code, given the full knowledge of the previous transaction.
  ///
  /// - Parameter horizon: what a basis has in addition to its entries.
  init(
    from cursor: inout ByteCursor, after previous: Knowledge, above horizon: Knowledge,
    as notation: PeerNotation
  ) throws(LogError) {
    sequence = try cursor.sequence()
    time = HybridTime(rawValue: try cursor.littleEndian())
    schema = try cursor.identifier()
    knowledge = previous
    let start = cursor.offset
    for entry in try cursor.entries(as: notation) {
      guard knowledge[entry.peer] < entry.sequence else {
        throw LogError(
          .malformed, "the knowledge of \(entry.peer) does not rise", at: UInt64(start))
      }
      knowledge[entry.peer] = entry.sequence
    }
    guard knowledge.count <= LogFormat.maximumKnowledgeCount else {
      throw cursor.failure(.limitExceeded, "a version vector of \(knowledge.count) peers")
    }
    switch try cursor.byte() {
    case 0: basis = nil
    case 1: basis = try Self.basis(&cursor, above: horizon, as: notation)
    case let flag: throw cursor.failure(.malformed, "\(flag) instead of 0 or 1")
    }
  }

  private static func basis(
    _ cursor: inout ByteCursor, above horizon: Knowledge, as notation: PeerNotation
  ) throws(LogError) -> Knowledge {
    let start = cursor.offset
    let entries = try cursor.entries(as: notation)
    if horizon.isEmpty { return Knowledge(entries) }
    var basis = horizon
    for entry in entries {
      guard basis[entry.peer] < entry.sequence else {
        throw LogError(
          .malformed, "the basis of \(entry.peer) is not above the horizon", at: UInt64(start))
      }
      basis[entry.peer] = entry.sequence
    }
    guard basis.count <= LogFormat.maximumKnowledgeCount else {
      throw cursor.failure(.limitExceeded, "a basis of \(basis.count) peers")
    }
    return basis
  }
}
