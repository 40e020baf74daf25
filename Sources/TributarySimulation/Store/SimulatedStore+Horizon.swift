internal import TributaryCore
internal import TributaryHorizon
internal import TributaryStore
internal import TributaryTesting

/// What a store has agreed on with others, and what happened to it when it came back.
extension SimulatedStore {
  /// Returns the declaration that it obeys.
  func obeyed() throws -> Declaration? {
    try opened().store.service { try HorizonRecord($0).state.obeyed }
  }

  /// Returns what the store has forgotten.
  func settled() throws -> Knowledge {
    try opened().store.service { try HorizonRecord($0).settled?.horizon ?? Knowledge() }
  }

  /// Returns the horizon below which it has forgotten, and the latest time in it; `nil` if it has forgotten
  /// nothing.
  func settlement() throws -> (contents: Knowledge, latest: HybridTime)? {
    try opened().store.service { connection in
      try HorizonRecord(connection).settled.map {
        ($0.horizon, $0.times.values.max() ?? .zero)
      }
    }
  }

  /// Returns a declaration that it obeys, or has obeyed.
  func declaration(_ identifier: UInt64) throws -> Declaration? {
    try opened().store.service { connection in
      let all = try HorizonRecord(connection).declarations + HorizonRecord.earlier(connection)
      return all.first { $0.identifier == identifier }
    }
  }

  /// Returns the identities that it has left.
  func formers() throws -> [PeerIdentity] {
    try opened().store.service { try FormerIdentities($0).all().map(\.peer) }
  }

  /// Returns a function that says whether the store may still merge a transaction. The store has promised not
  /// to import any others.
  func admission() throws -> (ReferenceTransaction) -> Bool {
    let last = try opened().store.service { try HorizonRecord($0).state.last }
    return { transaction in
      var knowledge = transaction.basis ?? transaction.knowledge
      let author = transaction.stamp.peer
      if transaction.basis == nil {
        knowledge[author] = SequenceNumber(transaction.sequence.rawValue - 1)
      }
      return last?.admits(
        Antecedents(author: author, sequence: transaction.sequence, knowledge: knowledge)) ?? true
    }
  }

  /// Returns what the store has promised and obeys, for the trace.
  func horizons() throws -> String {
    func text(_ declaration: Declaration) -> String {
      let horizon = declaration.horizon.entries.map { "\($0.peer):\($0.sequence)" }
      return
        "\(declaration.weight) \(declaration.identifier.lowerHex) of \(declaration.members) \(horizon)"
    }
    let record = try opened().store.service { try HorizonRecord($0) }
    return "obeys \(record.state.obeyed.map(text) ?? "nothing"), promises "
      + "\(record.state.promises.map(text)), settled \(record.settled?.identifier.lowerHex ?? "nothing")"
  }
}
