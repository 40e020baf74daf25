public import TributaryCore
import TributaryFiles
public import TributarySQLite

/// Finds out that a store's file is a copy of the one that it was when it was last looked at.
///
/// Two stores that write under one identity can be told apart only afterwards, from what they have
/// published. A copy that knows that it is one never does: it publishes nothing before it has an
/// identity of its own.
public struct CopyRecognition: Sendable {
  let birth: @Sendable (String) -> Int64?
  private let witness: StoreWitness?
  private let makeIdentity: @Sendable () -> PeerIdentity

  /// - Parameters:
  ///   - birth: when a file was made; `nil` where nobody knows, and then nothing is found out by it.
  ///   - witness: what finds out that a backup was written over the file; `nil` for none.
  ///   - makeIdentity: gives what the new identity is made from.
  public init(
    birth: @escaping @Sendable (String) -> Int64? = FileBirth.nanoseconds,
    witness: StoreWitness? = StoreWitness(stateDirectory: StateDirectory.user),
    makeIdentity: @escaping @Sendable () -> PeerIdentity = {
      var generator = SystemRandomNumberGenerator()
      return .random(using: &generator)
    }
  ) {
    self.birth = birth
    self.witness = witness
    self.makeIdentity = makeIdentity
  }

  /// Finds out nothing.
  public static let none = CopyRecognition(birth: { _ in nil }, witness: nil)

  /// What shows that a file is another one than the store was in.
  private struct Evidence {
    /// When the file was made, where that is not what is written down.
    var birth: Int64?
    /// Whether that is another time than the one written down.
    var isOther = false
    /// What was said of the store when it was more than it is now.
    var restored: WitnessStatement?
    /// Whether the file is in the place of the one that it was copied from.
    var replaces = false

    var isNone: Bool { birth == nil && restored == nil }
    var isCopy: Bool { isOther || restored != nil }
  }

  /// Writes down that the store is a copy, if it is one; before it writes anything else.
  public func look(at connection: Connection) throws {
    guard try !evidence(connection).isNone else { return }
    try connection.immediate {
      // Another process may have done it.
      let evidence = try evidence(connection)
      let settings = Settings(connection)
      if evidence.isCopy {
        try CopyTable(connection).add(
          after: common(evidence, connection), next: settings.peer().successor(makeIdentity()))
        try settings.set(.nextPeer, nil)
        if evidence.replaces {
          try settings.set(.left, .blob(try settings.peer().bytes))
        }
      }
      if let birth = evidence.birth { try settings.set(.birth, .integer(birth)) }
      if let restored = evidence.restored { try settings.set(.witness, .blob(restored.bytes)) }
    }
  }

  /// The last transaction that the original has, too.
  private func common(_ evidence: Evidence, _ connection: Connection) throws -> SequenceNumber {
    let outbox = Outbox(connection)
    let last = try outbox.last()?.sequence ?? .zero
    // Who did not look at the witness may have written since; what is later was never the original's.
    guard let restored = evidence.restored, restored.sequence > last,
      let later = try outbox.firstSequence(notBefore: restored.time)
    else { return last }
    return SequenceNumber(later.rawValue - 1)
  }

  private func evidence(_ connection: Connection) throws -> Evidence {
    let settings = Settings(connection)
    let path = connection.filePath
    var evidence = Evidence()
    if let birth = birth(path) {
      let known = try settings.integer(.birth)
      if known != birth { evidence.birth = birth }
      evidence.isOther = known != nil && known != birth
    }
    // What needs bookkeeping that is damaged reports it.
    guard let witness, let peer = try? settings.peer() else { return evidence }
    // Before the store: another process may publish meanwhile.
    let statements = witness.statements(about: path, lineage: peer.lineage)
    if statements.isEmpty { return evidence }
    do {
      let known = try settings[.witness]
      for (statement, knowsPlace) in statements {
        let isAhead = try statement.isAhead(of: connection)
        if isAhead || evidence.isOther && knowsPlace && statement.peer == peer {
          evidence.replaces = true
        }
        if isAhead, known != .blob(statement.bytes) { evidence.restored = statement }
      }
    } catch let error as StoreError where error.code == .damaged {
      evidence.restored = nil
    }
    return evidence
  }

  /// Up to where the original has the same, if the store is a copy; without writing anything down.
  public func copied(_ connection: Connection) throws -> SequenceNumber? {
    if let mark = try CopyTable(connection).first() { return mark.last }
    let evidence = try evidence(connection)
    return evidence.isCopy ? try common(evidence, connection) : nil
  }

  /// Takes the file for the original, whatever was written down; for a store that was just made.
  public func begin(_ connection: Connection) throws {
    let settings = Settings(connection)
    try settings.set(.birth, birth(connection.filePath).map { .integer($0) })
    try witness?.dismiss(connection.filePath, of: settings.peer())
  }
}
