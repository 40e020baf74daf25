package import TributaryCore
import TributaryFiles
import TributarySQLite

/// Recognises that a store's file is a copy of the file in which the store was when it was last examined.
///
/// Two stores that write under one identity can otherwise be distinguished only later, by what they have
/// published. A copy that recognises itself avoids this: it publishes nothing before it has an identity of
/// its own.
package struct CopyRecognition: Sendable {
  let birth: @Sendable (String) -> Int64?
  private let witness: StoreWitness?
  private let makeIdentity: @Sendable () -> PeerIdentity

  /// Makes a recognition.
  ///
  /// - Parameters:
  ///   - birth: returns the creation time of a file; `nil` if unknown, in which case the time proves nothing.
  ///   - witness: recognises that a backup was written over the file; `nil` for no witness.
  ///   - makeIdentity: provides the randomness of the new identity.
  package init(
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

  /// A recognition that never recognises anything.
  package static let none = CopyRecognition(birth: { _ in nil }, witness: nil)

  /// The evidence that a file is not the one in which the store was.
  private struct Evidence {
    /// The creation time of the file, if it differs from the recorded one.
    var birth: Int64?
    /// Whether the creation time contradicts a recorded one.
    var isOther = false
    /// The statement of a witness from a time when the store contained more than it does now.
    var restored: WitnessStatement?
    /// Whether the file took the place of the one from which it was copied.
    var replaces = false

    var isNone: Bool { birth == nil && restored == nil }
    var isCopy: Bool { isOther || restored != nil }
  }

  /// Records that the store is a copy, if it is one, before it writes anything else.
  package func look(at connection: Connection) throws {
    guard try !evidence(connection).isNone else { return }
    try connection.immediate {
      // Another process may have done so already.
      let evidence = try evidence(connection)
      let settings = Settings(connection)
      if evidence.isCopy {
        try CopyTable(connection).add(
          after: place(of: evidence, connection), next: settings.peer().successor(makeIdentity()))
        try settings.set(.nextPeer, nil)
        if evidence.replaces {
          try settings.set(.left, .blob(try settings.peer().bytes))
        }
      }
      if let birth = evidence.birth { try settings.set(.birth, .integer(birth)) }
      if let restored = evidence.restored { try settings.set(.witness, .blob(restored.bytes)) }
    }
  }

  /// Returns the last transaction before the mark.
  private func place(
    of evidence: Evidence, _ connection: Connection
  ) throws -> SequenceNumber {
    let common = try common(evidence, connection)
    // The file of a copy was copied to the place of a store that had more. What the copy has written since
    // its own mark is issued again because of that mark.
    guard evidence.isOther, try CopyTable(connection).contains(after: common) else { return common }
    return max(common, try Outbox(connection).last()?.sequence ?? .zero)
  }

  /// Returns the last transaction that the original also has.
  private func common(_ evidence: Evidence, _ connection: Connection) throws -> SequenceNumber {
    let outbox = Outbox(connection)
    let last = try outbox.last()?.sequence ?? .zero
    // A program that did not examine the witness may have written since; later transactions never belonged to
    // the original.
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
    // Damaged bookkeeping is reported by any code that needs it.
    guard let witness, let peer = try? settings.peer() else { return evidence }
    // The witness is read before the store, because another process may publish in the meantime.
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

  /// Returns the last transaction that the original also has, if the store is a copy, without recording
  /// anything.
  package func copied(_ connection: Connection) throws -> SequenceNumber? {
    if let mark = try CopyTable(connection).first() { return mark.last }
    let evidence = try evidence(connection)
    return evidence.isCopy ? try common(evidence, connection) : nil
  }

  /// Treats the file as the original, whatever was recorded; for a store that was just made.
  package func begin(_ connection: Connection) throws {
    let settings = Settings(connection)
    try settings.set(.birth, birth(connection.filePath).map { .integer($0) })
    try witness?.dismiss(connection.filePath, of: settings.peer())
  }
}
